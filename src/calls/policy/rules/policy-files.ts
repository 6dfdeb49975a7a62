import { statSync } from "node:fs";
import { dirname, join } from "node:path";

import { policyLookMs, policyProjectsMax } from "../../../base/limits.ts";
import { type ConfigDirs, findProjectDir } from "../../../config/places.ts";
import { readOwnTextFile } from "../../../config/read-text-file.ts";
import { createGlob } from "./glob.ts";
import { parsePolicy } from "./parse-policy.ts";
import { emptyPolicy, type Policy, type PolicyLevel } from "./rule.ts";

const policyFileName = "policy.jsonc";

export interface PolicyPlace {
  readonly path: string;
  readonly level: PolicyLevel;
}

/** Whether usual file systems of this system take `RM` for `rm`. */
export function ignoresCaseOn(platform: NodeJS.Platform): boolean {
  return platform === "darwin" || platform === "win32";
}

/** Where rules are looked for: those of the administrator, of the user, and of the project. */
export function policyPlaces(dirs: ConfigDirs, platform: NodeJS.Platform): readonly PolicyPlace[] {
  const user = join(dirs.scorpioxDir, policyFileName);
  const places: PolicyPlace[] = [];
  const add = (level: PolicyLevel, path: string): void => {
    // One file may be in two places: the first one is used.
    if (!places.some((place) => place.path === path)) places.push({ level, path });
  };
  if (platform === "linux") add("managed", `/etc/scorpiox/${policyFileName}`);
  if (dirname(user) !== dirs.executableDir)
    add("managed", join(dirs.executableDir, policyFileName));
  add("user", user);
  if (dirs.projectDir !== undefined)
    add("project", join(dirs.projectDir, ".scorpiox", policyFileName));
  return places;
}

/** The rules as the files have them now; they are looked at once a second at most, when a call asks. */
export class PolicyFiles {
  readonly #places: readonly PolicyPlace[];
  readonly #warn: (message: string) => void;
  readonly #warned = new Set<string>();
  #policy: Policy = emptyPolicy;
  #marks: readonly string[] | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** @param warn told once of everything that is wrong or ignored */
  constructor(places: readonly PolicyPlace[], warn: (message: string) => void) {
    this.#places = places;
    this.#warn = warn;
  }

  /** When a call will look at the files again, on the clock of `performance.now()`. */
  get freshUntil(): number {
    return this.#lookedAt + policyLookMs;
  }

  readonly current = (): Policy => {
    const now = performance.now();
    if (now < this.freshUntil) return this.#policy;
    this.#lookedAt = now;
    const marks = this.#places.map(({ path }) => markOf(path));
    if (this.#marks?.every((mark, index) => mark === marks[index])) return this.#policy;
    this.#marks = marks;
    this.#policy = merged(this.#places.map(readPolicy));
    this.#tell();
    return this.#policy;
  };

  #tell(): void {
    const { problems, notes } = this.#policy;
    const lines = [
      ...problems.map(
        ({ message }) =>
          `${message}. Until this is mended, calls that it may be about are asked about.`,
      ),
      ...notes,
    ];
    for (const line of lines) if (!this.#warned.has(line)) this.#warn(line);
    for (const line of lines) this.#warned.add(line);
  }
}

/** Another one when the file is another, or has another content. */
function markOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats === undefined
      ? ""
      : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
  } catch (error) {
    return String(error);
  }
}

/** The rules of one file. A file that is there but cannot be read may have been about anything. */
export function readPolicy({ path, level }: PolicyPlace): Policy {
  const file = readOwnTextFile(path);
  if (file.kind === "absent") return emptyPolicy;
  if (file.kind === "text") return parsePolicy(file.text, path, level);
  const problem = { tools: [createGlob("*")], message: `${path}: this file ${file.reason}` };
  return { ...emptyPolicy, problems: [problem] };
}

export function merged(policies: readonly Policy[]): Policy {
  return {
    rules: policies.flatMap(({ rules }) => rules),
    defaults: policies.flatMap(({ defaults }) => defaults),
    problems: policies.flatMap(({ problems }) => problems),
    notes: policies.flatMap(({ notes }) => notes),
  };
}

/** The rules of the projects that clients work in, besides those of the project that the server was started in. */
export class ProjectPolicies {
  readonly #homeDir: string;
  readonly #others: readonly PolicyPlace[];
  readonly #warn: (message: string) => void;
  readonly #byFolder = new Map<string, PolicyFiles>();

  /** @param others that count already */
  constructor(homeDir: string, others: readonly PolicyPlace[], warn: (message: string) => void) {
    this.#homeDir = homeDir;
    this.#others = others;
    this.#warn = warn;
  }

  /** The rules of the project that this folder is in, without those that count already. */
  at(folder: string): Policy {
    const known = this.#byFolder.get(folder) ?? new PolicyFiles(this.#placesOf(folder), this.#warn);
    // The last one that was asked for goes last.
    this.#byFolder.delete(folder);
    this.#byFolder.set(folder, known);
    const [oldest] = this.#byFolder.keys();
    if (this.#byFolder.size > policyProjectsMax && oldest !== undefined)
      this.#byFolder.delete(oldest);
    return known.current();
  }

  #placesOf(folder: string): readonly PolicyPlace[] {
    const project = findProjectDir(folder, this.#homeDir);
    if (project === undefined) return [];
    const path = join(project, ".scorpiox", policyFileName);
    return this.#others.some((other) => other.path === path) ? [] : [{ path, level: "project" }];
  }
}

/** For a project's rules the last policy that they were put behind, and both together. */
const togetherOf = new WeakMap<Policy, { readonly policy: Policy; readonly both: Policy }>();

/** Both together, the same object as long as both are the same; most projects have no rules. */
export function withProject(policy: Policy, project: Policy): Policy {
  const { rules, defaults, problems } = project;
  if (rules.length + defaults.length + problems.length === 0) return policy;
  const known = togetherOf.get(project);
  if (known?.policy === policy) return known.both;
  const both = merged([policy, project]);
  togetherOf.set(project, { policy, both });
  return both;
}
