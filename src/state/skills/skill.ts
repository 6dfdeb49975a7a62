import { join, resolve } from "node:path";

import { oneLine } from "../../base/cut-text.ts";
import { skillNameCharsMax } from "../../base/limits.ts";
import { unsafeCharacters } from "../../base/unsafe-characters.ts";

/** The origin of a skill: the project, whose files others may write, the user, or scorpiox-code. */
export type SkillOrigin = "project" | "user" | "built-in";

/** A value in front matter: bounded plain data. */
export type FrontMatterValue =
  | string
  | number
  | boolean
  | null
  | readonly FrontMatterValue[]
  | { readonly [key: string]: FrontMatterValue };

export type FrontMatter = Readonly<Record<string, FrontMatterValue>>;

/** A skill as lists show it. Its text is read when it is loaded. */
export interface Skill {
  /** The name of its folder: the name in the front matter is ignored. */
  readonly name: string;
  /** One line of visible characters; empty without a description. */
  readonly description: string;
  readonly origin: SkillOrigin;
  /** Absolute path of its folder as it was found; null for one that is built in. */
  readonly folder: string | null;
  readonly frontMatter: FrontMatter;
  /** False with `disable-model-invocation: true`. */
  readonly isForModel: boolean;
  /** False with `user-invocable: false`. */
  readonly isForUser: boolean;
  /** `argument-hint`: the arguments that the user may write behind the name. */
  readonly argumentHint: string | null;
  /** Faults that do not keep it from being used. */
  readonly problems: readonly string[];
}

/** Something in a skills folder that cannot be used. */
export interface SkillProblem {
  readonly path: string;
  readonly reason: string;
}

/** The form that agentskills.io prescribes. */
const properName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Names that are read although they break the format. A name is a part of paths and URIs: no separators, no leading dot, nothing invisible. */
const usableName = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_. -]*$/u;

/** True if a skill's folder can have this name. */
export function isSkillName(name: string): boolean {
  return (
    name.length <= skillNameCharsMax &&
    usableName.test(name) &&
    !/\p{DI}/u.test(name) &&
    !name.includes("..") &&
    !/[. ]$/.test(name)
  );
}

/** True for a name as the format prescribes it. */
export function isProperSkillName(name: string): boolean {
  return name.length <= skillNameCharsMax && properName.test(name);
}

/** Lists are the same in every locale: by code units. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** `text` without the characters that nobody sees, on one line of at most `charsMax` characters. */
export function visibleLine(text: string, charsMax: number): string {
  return oneLine(withoutUnseen(text), charsMax);
}

/** `text` without the characters that nobody sees. */
export function withoutUnseen(text: string): string {
  // Default ignorable: fillers, variation selectors and such, of which whole hidden texts can be made.
  return text
    .toWellFormed()
    .replace(unsafeCharacters, "")
    .replaceAll(/\p{DI}/gu, "");
}

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
