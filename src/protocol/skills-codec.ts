import type { CacheHints } from "./cache-hints.ts";
import { encodeComplete } from "./complete-result.ts";
import type { Page } from "./pagination.ts";
import type { SkillEntry } from "./skill-types.ts";
import type { ProtocolVersion } from "./versions.ts";

/** The result of `skills/list`; an entry is never split over pages (docs/spec/modern.md#skills). */
export function encodeSkillsList(
  { items, nextCursor }: Page<SkillEntry>,
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
