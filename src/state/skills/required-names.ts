import { constants } from "node:fs";
import { open } from "node:fs/promises";

import { requiredSkillsBytesMax, requiredSkillsMax } from "../../base/limits.ts";
import { isSkillName } from "./skill.ts";

/**
 * The names in a `required_skills.txt`: one a line, `#` begins a comment. Empty when the file is missing or unreadable;
 * links are not followed, since the file may be a project's.
 */
export async function readRequiredSkills(path: string): Promise<readonly string[]> {
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  try {
    await using handle = await open(path, flags);
    const stats = await handle.stat();
    if (!stats.isFile()) return [];
    const bytes = new Uint8Array(Math.min(stats.size, requiredSkillsBytesMax));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return namesIn(new TextDecoder().decode(bytes.subarray(0, bytesRead)));
  } catch {
    return [];
  }
}

function namesIn(text: string): readonly string[] {
  const names = text.split(/\r\n?|\n/).map((line) => line.replace(/#.*$/, "").trim());
  return [...new Set(names.filter((name) => isSkillName(name)))].slice(0, requiredSkillsMax);
}
