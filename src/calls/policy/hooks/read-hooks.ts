import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256Hex } from "../../../base/digests.ts";
import { messageOf, systemCodeOf } from "../../../base/errors.ts";
import { hookLookMs, hooksPerEventMax } from "../../../base/limits.ts";
import { isInside } from "../../../base/paths.ts";
import { escapeUnsafe } from "../../../base/unsafe-characters.ts";
import { type HookApprovals, readHookContent } from "./hook-approvals.ts";
import { launchOf } from "./hook-launch.ts";
import {
  type Hook,
  type HookFinding,
  hookKey,
  type HookScope,
  type HooksFolder,
  isEventName,
  isWaitedFor,
} from "./hook.ts";
import { faultOfMode, faultOfOwner } from "./session-folder.ts";

interface Place extends HooksFolder {
  readonly eventName: string;
  /** The hooks folder without symbolic links. */
  readonly realDir: string;
}

/** The findings for an event in one hooks folder, in the order in which they run. Never rejects. */
export async function readHooks(
  folder: HooksFolder,
  eventName: string,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly HookFinding[]> {
  const path = join(folder.hooksDir, eventName);
  try {
    const realDir = await realpath(folder.hooksDir);
    const place = { ...folder, eventName, realDir };
    const fault = (await faultOfFolder(realDir, place)) ?? (await faultOfFolder(path, place));
    if (fault !== undefined) return [refused(place, "", path, fault, await mayHoldGuards(path))];
    const names = (await readdir(path)).sort(compareNaturally);
    const findings = await Promise.all(
      names.slice(0, hooksPerEventMax).map((name) => lookAt(place, name, platform)),
    );
    if (names.length <= hooksPerEventMax) return findings;
    const surplus = `it has ${names.length} files, and only the first ${hooksPerEventMax} are used`;
    const hasGuards = names.slice(hooksPerEventMax).some(isGuardName);
    return [...findings, refused(place, "", path, surplus, hasGuards)];
  } catch (error) {
    if (isAbsence(error)) return [];
    const unread = `it cannot be read (${messageOf(error)})`;
    return [refused({ ...folder, eventName }, "", path, unread, true)];
  }
}

/** The events that have a folder, sorted; folders of other names are of no event. */
export async function readEventNames({ hooksDir }: HooksFolder): Promise<readonly string[]> {
  try {
    const entries = await readdir(hooksDir, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    const names = folders.map((entry) => entry.name);
    return names.filter(isEventName).sort(compareNaturally);
  } catch {
    return [];
  }
}

/** A file in the place of a folder holds none. */
async function mayHoldGuards(path: string): Promise<boolean> {
  try {
    return (await readdir(path)).some(isGuardName);
  } catch (error) {
    return !isAbsence(error);
  }
}

function isGuardName(name: string): boolean {
  return name.startsWith("sync-");
}

async function faultOfFolder(path: string, place: Place): Promise<string | undefined> {
  const fault = await faultOfLink(await realpath(path), place);
  if (fault !== undefined) return fault;
  const stats = await stat(path);
  return stats.isDirectory() ? faultOf(stats, place) : "it is not a folder";
}

/** The user may keep hooks elsewhere, in a repository of settings, where nobody else can put others in their place. */
async function faultOfLink(target: string, place: Place): Promise<string | undefined> {
  if (isInside(target, place.realDir)) return undefined;
  if (place.scope === "project") return "it leads out of the hooks folder";
  const folder = dirname(target);
  const fault = faultOf(await stat(folder), place);
  return fault === undefined ? undefined : `it leads into ${folder}: ${fault}`;
}

async function lookAt(place: Place, name: string, platform: NodeJS.Platform): Promise<HookFinding> {
  const written = join(place.hooksDir, place.eventName, name);
  if (/^[_.]/.test(name)) {
    const { eventName, scope } = place;
    const reason = `its name begins with ${name.slice(0, 1)}`;
    return { kind: "disabled", eventName, name, scope, path: written, reason };
  }
  const shown = shownName(name);
  if (shown !== name) {
    const reason = "its name has characters that cannot be seen";
    return refused(place, shown, join(dirname(written), shown), reason);
  }
  try {
    const path = await realpath(written);
    const faultOfTarget = await faultOfLink(path, place);
    if (faultOfTarget !== undefined) return refused(place, name, written, faultOfTarget);
    const stats = await stat(path);
    if (!stats.isFile()) return refused(place, name, written, "it is not a file");
    const fault = faultOf(stats, place);
    if (fault !== undefined) return refused(place, name, written, fault);
    const launch = launchOf(name, stats.mode, platform);
    if ("reason" in launch) {
      // A file for another system is a guard there.
      const isGuard = !launch.isForOther && isGuardName(name);
      return refused(place, name, written, launch.reason, isGuard);
    }
    const { eventName, scope, hooksDir } = place;
    const isSync = name.startsWith("sync-") && isWaitedFor(eventName);
    return { kind: "hook", hook: { eventName, name, scope, hooksDir, path, isSync, ...launch } };
  } catch (error) {
    return refused(place, name, written, `it cannot be read (${messageOf(error)})`);
  }
}

/** A name with line ends could show people lines of its own where hooks are listed and approved. */
function shownName(name: string): string {
  const oneLine = name.replaceAll(/[\t\n\r]/g, (unit) => `\\u{${unit.charCodeAt(0).toString(16)}}`);
  return escapeUnsafe(oneLine);
}

/** A project's files are approved by content: whose they are does not matter there. */
function faultOf(stats: { mode: number; uid: number }, { scope }: HooksFolder): string | undefined {
  return faultOfMode(stats) ?? (scope === "user" ? faultOfOwner(stats) : undefined);
}

/** @param isGuard it may have stopped a call, if it had been run; a project's does not stop the user's */
function refused(
  { eventName, scope, hooksDir }: Omit<Place, "realDir">,
  name: string,
  path: string,
  reason: string,
  isGuard = isGuardName(name),
): HookFinding {
  const finding = { kind: "refused", eventName, name, scope, path, reason } as const;
  if (!isGuard || scope === "project" || !isWaitedFor(eventName)) return finding;
  const shown = name === "" ? "sync-*" : name;
  const fixed = { launch: "direct", isSync: true, fault: reason } as const;
  return { ...finding, guard: { eventName, name: shown, scope, hooksDir, path, ...fixed } };
}

function isAbsence(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/**
 * Compares names with numbers by value: `2-b` before `10-a`. The same on every machine, whatever its language: parts
 * that are not numbers are compared by UTF-16 code units.
 */
export function compareNaturally(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  for (const [index, part] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  return left.length < right.length ? -1 : compareUnits(a, b);
}

function partsOf(text: string): readonly string[] {
  return text.match(/[0-9]+|[^0-9]+/g) ?? [];
}

function compareParts(a: string, b: string): number {
  if (!isNumber(a) || !isNumber(b)) return compareUnits(a, b);
  const left = a.replace(/^0+(?=.)/, "");
  const right = b.replace(/^0+(?=.)/, "");
  // Of numbers of any length the longer one is the greater.
  return left.length - right.length || compareUnits(left, right);
}

function isNumber(part: string): boolean {
  return part >= "0" && part < ":";
}

function compareUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface Entry {
  readonly hooks: readonly Hook[];
  /** On the clock of `performance.now()`. */
  readonly freshUntil: number;
}

/** The hooks of each event, looked at again when they are asked for after `hookLookMs`: every call asks. */
export class HookCache {
  readonly #folders: readonly HooksFolder[];
  readonly #onRefused: (finding: HookFinding) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #reading = new Map<string, Promise<readonly Hook[]>>();

  /**
   * @param folders in the order in which their hooks run
   * @param onRefused receives each file that is not run, at each look
   */
  constructor(folders: readonly HooksFolder[], onRefused: (finding: HookFinding) => void) {
    this.#folders = folders;
    this.#onRefused = onRefused;
  }

  /** True when it is known that there are none: then nothing has to be waited for. */
  hasNone(eventName: string): boolean {
    return performance.now() < this.noneUntil(eventName);
  }

  /** Until when it is known that there are none, on the clock of `performance.now()`. */
  noneUntil(eventName: string): number {
    const entry = this.#entries.get(eventName);
    return entry?.hooks.length === 0 ? entry.freshUntil : Number.NEGATIVE_INFINITY;
  }

  /** In the order in which they run. Never rejects. */
  list(eventName: string): Promise<readonly Hook[]> {
    const entry = this.#entries.get(eventName);
    if (entry !== undefined && performance.now() < entry.freshUntil) {
      return Promise.resolve(entry.hooks);
    }
    let reading = this.#reading.get(eventName);
    if (reading === undefined) this.#reading.set(eventName, (reading = this.#read(eventName)));
    return reading;
  }

  async #read(eventName: string): Promise<readonly Hook[]> {
    const found = await Promise.all(this.#folders.map((folder) => readHooks(folder, eventName)));
    const findings = found.flat();
    for (const finding of findings) if (finding.kind === "refused") this.#onRefused(finding);
    const hooks = findings.flatMap((finding) =>
      finding.kind === "hook" ? [finding.hook] : (finding.guard ?? []),
    );
    this.#entries.set(eventName, { hooks, freshUntil: performance.now() + hookLookMs });
    this.#reading.delete(eventName);
    return hooks;
  }
}

/** A file in a hooks folder, as people are shown it. */
export interface HookRow {
  readonly event: string;
  readonly name: string;
  readonly scope: HookScope;
  readonly path: string;
  /** Null for a hook that is not run. */
  readonly mode: "sync" | "beside" | null;
  readonly state: "ready" | "not approved" | "changed" | "disabled" | "refused";
  readonly reason: string | null;
  /** The digest of a project's hook that is approved, or awaits approval. */
  readonly sha256: string | null;
}

/** A row of a project's hook together with the content that its digest is of. */
export interface HookToApprove {
  readonly row: HookRow;
  readonly content: Uint8Array;
}

/** All that is in the hooks folders, in the order in which it runs. */
export async function surveyHooks(
  folders: readonly HooksFolder[],
  approvals: HookApprovals | undefined,
): Promise<readonly { readonly row: HookRow; readonly content: Uint8Array | undefined }[]> {
  const approved = (await approvals?.read()) ?? new Map<string, string>();
  const names = await Promise.all(folders.map((folder) => readEventNames(folder)));
  const events = [...new Set(names.flat())].sort(compareNaturally);
  const found = events.flatMap((event) => folders.map((folder) => readHooks(folder, event)));
  const findings = (await Promise.all(found)).flat();
  return Promise.all(findings.map((finding) => describe(finding, approved)));
}

async function describe(
  finding: HookFinding,
  approved: ReadonlyMap<string, string>,
): Promise<{ readonly row: HookRow; readonly content: Uint8Array | undefined }> {
  if (finding.kind !== "hook") {
    const { kind: state, eventName: event, name, scope, path } = finding;
    const reason = reasonOf(finding);
    const row = { event, name, scope, path, mode: null, state, reason, sha256: null } as const;
    return { row, content: undefined };
  }
  const { hook } = finding;
  if (hook.scope === "user") return { row: rowOf(hook, "ready", null), content: undefined };
  try {
    const content = await readHookContent(hook.path);
    const sha256 = sha256Hex(content);
    const known = approved.get(hookKey(hook));
    const other = known === undefined ? "not approved" : "changed";
    return { row: rowOf(hook, known === sha256 ? "ready" : other, sha256), content };
  } catch (error) {
    const row = { ...rowOf(hook, "refused", null), mode: null, reason: messageOf(error) };
    return { row, content: undefined };
  }
}

/** The reason why a file is not run, for the user. */
export function reasonOf({ reason, guard }: Exclude<HookFinding, { kind: "hook" }>): string {
  return guard === undefined ? reason : `${reason}; until then it stops what it guards`;
}

function rowOf(hook: Hook, state: HookRow["state"], sha256: string | null): HookRow {
  const { eventName: event, name, scope, path } = hook;
  const mode = hook.isSync ? "sync" : "beside";
  return { event, name, scope, path, mode, state, reason: null, sha256 };
}
