import { createHash } from "node:crypto";

import { isObject } from "../../base/values.ts";
import type { SkillFile } from "../../protocol/skills.ts";
import type { ForeignSkill } from "../connect/foreign-skill.ts";
import { UnusableAnswer } from "./read-content.ts";

/** The skills that a server has listed. */
export interface SkillsOfServer {
  readonly approved: readonly ForeignSkill[];
  /** New or changed ones, which are not approved. */
  readonly others: readonly ForeignSkill[];
}

/**
 * Checks a file of a skill against the approved listing of that skill. @throws UnusableAnswer when its size or digest
 * differs, and for a file of skills that are not approved
 */
export function verifySkillFile(
  answer: unknown,
  uri: string,
  { approved, others }: SkillsOfServer,
): void {
  const listed = filesOf(approved, uri);
  if (listed.length === 0 && filesOf(others, uri).length === 0) return;
  if (listed.length === 0) {
    throw new UnusableAnswer(
      "malformed",
      `The file ${uri} belongs to a skill that is not approved: see it with mcp diff, approve it with mcp approve.`,
    );
  }
  const contents: unknown = isObject(answer) ? answer.contents : undefined;
  const [first, ...more] = Array.isArray(contents) ? (contents as readonly unknown[]) : [];
  const bytes = more.length === 0 ? bytesOf(first) : undefined;
  const digest = bytes && `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (listed.every((file) => file.size === bytes?.length && file.digest === digest)) return;
  throw new UnusableAnswer(
    "malformed",
    `The file ${uri} is not the one that its skill lists (size or digest), and was not used.`,
  );
}

function filesOf(skills: readonly ForeignSkill[], uri: string): readonly SkillFile[] {
  return skills
    .flatMap(({ resources }) => (resources === "dynamic" ? [] : resources))
    .filter((file) => file.uri === uri);
}

function bytesOf(contents: unknown): Buffer | undefined {
  if (!isObject(contents)) return undefined;
  const { text, blob } = contents;
  if (typeof text === "string") return Buffer.from(text);
  return typeof blob === "string" ? Buffer.from(blob, "base64") : undefined;
}
