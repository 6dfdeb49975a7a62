import type { Params } from "./json-rpc.ts";

/** A file of a skill: digest over its raw bytes, `sha256:` and 64 lower-case hex digits. */
export interface SkillFile {
  readonly uri: string;
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

/** One entry of `skills/list` (docs/spec/modern.md#skills). */
export interface SkillEntry {
  /** Of its `SKILL.md`: `skill://<path>/SKILL.md`. */
  readonly uri: string;
  /** The YAML front matter as JSON, with `name` and `description`. */
  readonly frontmatter: Params;
  readonly resources: readonly SkillFile[] | "dynamic";
}
