import { isAbsolute } from "node:path";

import { startTimer, type Timer } from "../../base/cancellation.ts";
import { skillLookMs, skillWatchersMax, skillWorkspacesMax } from "../../base/limits.ts";
import { skillToolDescription } from "../../state/skills/list-for-model.ts";
import type { SkillLibrary, SkillSet } from "../../state/skills/skill-library.ts";
import type { Skill } from "../../state/skills/skill.ts";
import type { ClientContext } from "../call.ts";
import type { Change, Changes } from "../features.ts";
import { skillPromptListing, skillUri } from "./skill-uri.ts";

/** The skills that one client was given last. */
interface Seen {
  readonly workspace: string | undefined;
  /** Where it works by now: it may have offered other roots, or been late with the first. */
  readonly workspaceNow: ClientContext["workspaceNow"];
  /** Undefined before its first list is there. */
  readonly set: SkillSet | undefined;
}

/** The meaning of one step for its callers. */
interface Step {
  readonly before: SkillSet;
  readonly after: SkillSet;
  readonly changes: readonly Change[];
}

/** A look may take this part of the time between two. */
const lookPart = 1 / 50;

/**
 * Notifies clients that were given a list when it has changed. Looks at the disk at intervals, only
 * while something listens: notifications of file systems do not work everywhere.
 */
export class SkillWatch implements Disposable {
  readonly #library: SkillLibrary;
  readonly #changes: Changes;
  readonly #everyMs: number;
  /** The one that asked last comes last. */
  readonly #seen = new Map<string, Seen>();
  #timer: Timer | undefined;
  #isClosed = false;
  #step: Step | undefined;

  /** @param everyMs how often it looks */
  constructor(library: SkillLibrary, changes: Changes, everyMs: number = skillLookMs) {
    this.#library = library;
    this.#changes = changes;
    this.#everyMs = everyMs;
  }

  get clientCount(): number {
    return this.#seen.size;
  }

  /** This client wants a list: from now on its lists are recorded, until it is forgotten. */
  begin({ id, workspaceNow }: ClientContext): void {
    const { workspace, set } = this.#seen.get(id) ?? {};
    this.#seen.delete(id);
    this.#seen.set(id, { workspace, set, workspaceNow });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > skillWatchersMax) this.#seen.delete(oldest ?? "");
    if (this.#timer === undefined) this.#lookAfter(this.#everyMs);
  }

  /**
   * This client has been given the skills of `set`; it is notified at once when they differ from before. One that has gone
   * meanwhile stays so.
   */
  note(clientId: string, workspace: string | undefined, set: SkillSet): void {
    const before = this.#seen.get(clientId);
    if (before === undefined) return;
    this.#seen.set(clientId, { ...before, workspace, set });
    this.#tell(clientId, before.set, set);
  }

  forget(clientId: string): void {
    this.#seen.delete(clientId);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#timer?.stop();
    this.#seen.clear();
    this.#step = undefined;
  }

  #lookAfter(delayMs: number): void {
    if (this.#isClosed) return;
    this.#timer = startTimer(delayMs, () => void this.#look());
  }

  async #look(): Promise<void> {
    const startedAt = performance.now();
    if (this.#changes.isHeard) {
      for (const workspace of this.#workspaces()) await this.#lookAt(workspace);
    }
    const tookMs = performance.now() - startedAt;
    if (this.#seen.size > 0) this.#lookAfter(Math.max(this.#everyMs, tookMs / lookPart));
    else this.#timer = undefined;
  }

  async #lookAt(workspace: string | undefined): Promise<void> {
    const set = await this.#library.find(workspace);
    for (const [clientId, seen] of this.#seen) {
      if (workspaceOf(seen) === workspace) this.#compare(clientId, { ...seen, workspace }, set);
    }
  }

  /** The workspaces that were asked for last: the library remembers as many. */
  #workspaces(): readonly (string | undefined)[] {
    const all = new Set([...this.#seen.values()].map(workspaceOf));
    return [...all].slice(-skillWorkspacesMax);
  }

  #compare(clientId: string, seen: Seen, set: SkillSet): void {
    if (seen.set === undefined || seen.set === set) return;
    this.#seen.set(clientId, { ...seen, set });
    this.#tell(clientId, seen.set, set);
  }

  #tell(clientId: string, before: SkillSet | undefined, after: SkillSet): void {
    if (before === undefined || before === after) return;
    // A thousand clients of one workspace make the same step: it is worked out once.
    const isKnown = this.#step?.before === before && this.#step.after === after;
    const changes = isKnown ? (this.#step?.changes ?? []) : skillChanges(before, after);
    this.#step = { before, after, changes };
    for (const change of changes) this.#changes.emit({ ...change, clientId, isSeenByAll: true });
  }
}

function workspaceOf({ workspace, workspaceNow }: Seen): string | undefined {
  const now = workspaceNow?.();
  return now !== undefined && isAbsolute(now) ? now : workspace;
}

/** The changes for a client that saw `before` and would now see `after`. */
function skillChanges(before: SkillSet, after: SkillSet): Change[] {
  const differs = (view: (set: SkillSet) => unknown): boolean =>
    JSON.stringify(view(before)) !== JSON.stringify(view(after));
  const changes: Change[] = [];
  if (differs(({ skills }) => skillToolDescription(skills))) {
    changes.push({ kind: "tools" });
  }
  if (differs(({ skills }) => skills.filter((skill) => skill.isForUser).map(skillPromptListing))) {
    changes.push({ kind: "prompts" });
  }
  if (differs(({ skills }) => skills.map(({ name, description }) => [name, description]))) {
    changes.push({ kind: "resources" });
  }
  for (const name of changedNames(before, after)) {
    changes.push({ kind: "resource", uri: skillUri(name) });
  }
  return changes;
}

/** Skills that were added, removed, or rewritten. */
function changedNames(before: SkillSet, after: SkillSet): Iterable<string> {
  const names = new Set([...before.byName.keys(), ...after.byName.keys()]);
  const isSame = (a: Skill | undefined, b: Skill | undefined): boolean => a === b;
  return [...names].filter((name) => !isSame(before.byName.get(name), after.byName.get(name)));
}
