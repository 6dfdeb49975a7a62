import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { messageOf, systemCodeOf } from "../../../base/errors.ts";
import { hooksPerEventMax } from "../../../base/limits.ts";
import { isInside } from "../../../base/paths.ts";
import { escapeUnsafe } from "../../../base/unsafe-characters.ts";
import { launchOf } from "./hook-launch.ts";
import { type HookFinding, type HooksFolder, isEventName, isWaitedFor } from "./hook.ts";
import { faultOfOwner, faultOfMode } from "./session-folder.ts";

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
