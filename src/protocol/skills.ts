import type { Params } from "./json-rpc.ts";
import type { CacheHints, ListPage } from "./list-parts.ts";
import type { ProtocolVersion } from "./message.ts";
import { encodeComplete } from "./result-codec.ts";

/** A file of a skill: digest over its raw bytes, `sha256:` and 64 lower-case hex digits. */
export interface SkillFile {
  readonly uri: string;
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

/** One entry of `skills/list` (docs/spec/modern.md#skills). */
export interface SkillEntry {
  /** The URI of its `SKILL.md`: `skill://<path>/SKILL.md`. */
  readonly uri: string;
  /** The YAML front matter as JSON, with `name` and `description`. */
  readonly frontmatter: Params;
  readonly resources: readonly SkillFile[] | "dynamic";
}

/** The result of `skills/list`; an entry is never split over pages (docs/spec/modern.md#skills). */
export function encodeSkillsList(
  { items, nextCursor }: ListPage<SkillEntry>,
  version: ProtocolVersion,
  hints: CacheHints,
): string {
  return encodeComplete({ skills: items, nextCursor }, version, { hints });
}

/** The result of `skills/get`. */
export function encodeSkill(
  skill: SkillEntry,
  version: ProtocolVersion,
  hints: CacheHints,
): string {
  return encodeComplete({ skill }, version, { hints });
}
