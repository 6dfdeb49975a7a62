import { join, resolve } from "node:path";

import { skillNamesAtOnceMax } from "../../base/limits.ts";
import { compareNames } from "./skill.ts";

/** A folder that may hold skills. */
export interface SkillSource {
  readonly dir: string;
  readonly origin: "project" | "user";
  /** Nothing in it may lead out of this folder; undefined: links may lead to files of the same user. */
  readonly within: string | undefined;
  /** True when the user has named it: then it should be there. */
  readonly isNamed?: boolean;
}

export interface SkillDirs {
  readonly homeDir: string;
  /** `~/.scorpiox`, or the value of SCORPIOX_HOME. */
  readonly scorpioxDir: string;
  /** ADDITIONAL_SKILLS: absolute paths. */
  readonly additional: readonly string[];
}

const workspaceFolders = [".claude/skills", ".scorpiox/skills", ".agents/skills"];

/** The folders where skills are looked for, in order of precedence. @param workspace undefined while it is not known */
export function skillSources(
  { homeDir, scorpioxDir, additional }: SkillDirs,
  workspace: string | undefined,
): readonly SkillSource[] {
  const own = [join(homeDir, ".claude/skills"), join(scorpioxDir, "skills"), ...additional].map(
    (dir) => resolve(dir),
  );
  const sources = new Map<string, SkillSource>();
  for (const name of workspace === undefined ? [] : workspaceFolders) {
    const dir = resolve(workspace ?? "", name);
    // Skills in the home folder belong to the user, also when commands run there.
    const isOwn = own.includes(dir) || resolve(workspace ?? "") === resolve(homeDir);
    sources.set(
      dir,
      isOwn
        ? { dir, origin: "user", within: undefined }
        : { dir, origin: "project", within: workspace },
    );
  }
  const named = new Set(additional.map((dir) => resolve(dir)));
  for (const dir of own) {
    if (sources.has(dir)) continue;
    sources.set(dir, { dir, origin: "user", within: undefined, isNamed: named.has(dir) });
  }
  return [...sources.values()];
}

interface Named {
  readonly name: string;
}

interface FirstByName<Entry> {
  /** Sorted. */
  readonly first: readonly Entry[];
  /** Of all that are wanted. */
  readonly count: number;
}

/** The global one: loading `node:timers/promises` would cost each start a millisecond. */
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/**
 * The first `countMax` by name of the entries that are wanted. However many there are, the thread is held up for about a
 * millisecond at a time.
 */
export async function firstByName<Entry extends Named>(
  entries: readonly Entry[],
  isWanted: (entry: Entry) => boolean,
  countMax: number,
): Promise<FirstByName<Entry>> {
  let first: Entry[] = [];
  let count = 0;
  for (let start = 0; start < entries.length; start += skillNamesAtOnceMax) {
    if (start > 0) await nextTurn();
    const wanted = entries.slice(start, start + skillNamesAtOnceMax).filter(isWanted);
    count += wanted.length;
    first = [...first, ...wanted].sort((a, b) => compareNames(a.name, b.name)).slice(0, countMax);
  }
  return { first, count };
}

/**
 * One look at a time: a caller that asks during a look gets the next one, since the running one may have missed the
 * latest change. All waiting callers share it.
 */
export class FreshLook<T> {
  readonly #look: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  /** @param look never rejects */
  constructor(look: () => Promise<T>) {
    this.#look = look;
  }

  take(): Promise<T> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running.then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<T> {
    this.#next = undefined;
    const running = this.#look().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
