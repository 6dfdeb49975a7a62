/** The origin of a skill: the project, whose files others may write, the user, or scorpiox-code. */
export type SkillOrigin = "project" | "user" | "built-in";

/** What front matter holds: bounded plain data. */
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
  /** `argument-hint`: what the user may write behind the name. */
  readonly argumentHint: string | null;
  /** What is wrong with it, though it can be used. */
  readonly problems: readonly string[];
}

/** Something in a skills folder that cannot be used. */
export interface SkillProblem {
  readonly path: string;
  readonly reason: string;
}
