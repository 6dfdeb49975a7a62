import { messageOf } from "../../../base/errors.ts";
import { hookLookMs } from "../../../base/limits.ts";
import { digestOf, type HookApprovals, readHookContent } from "./hook-approvals.ts";
import { type Hook, type HookFinding, hookKey, type HookScope, type HooksFolder } from "./hook.ts";
import { compareNaturally, readEventNames, readHooks } from "./read-hooks.ts";

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
  /** Of a project's hook: the digest that is approved, or awaits approval. */
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
    const sha256 = digestOf(content);
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
