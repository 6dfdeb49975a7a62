import { dirname, join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { skillFileBytesMax } from "../../base/limits.ts";
import { builtInText } from "./built-in/built-in-skills.ts";
import { readInside } from "./file-inside.ts";
import { realSkillFolder } from "./locate-skill.ts";
import type { Skill } from "./skill.ts";

/**
 * Looks again where the folder of a skill leads: it may have been changed since it was listed.
 * @param workspace the one that its set was made for
 * @throws AppError `refused`, `not_found`, `system`
 */
export async function placeOf(skill: Skill, workspace: string | undefined): Promise<string> {
  if (skill.folder === null) throw new AppError("not_found", `${skill.name} has no folder.`);
  const within = skill.origin === "project" ? workspace : undefined;
  const source = { dir: dirname(skill.folder), origin: "user", within } as const;
  try {
    return await realSkillFolder(source, skill.name);
  } catch (error) {
    if (error instanceof AppError) {
      throw new AppError("refused", `Cannot read the skill ${skill.name}: ${error.message}.`);
    }
    throw new AppError("not_found", `The skill ${skill.name} is gone: ${skill.folder}`, {
      cause: error,
    });
  }
}

/** The whole SKILL.md. @throws AppError as `placeOf`; `limit` when it is too long */
export async function readSkillText(skill: Skill, workspace: string | undefined): Promise<string> {
  if (skill.folder === null) return builtInText(skill.name) ?? "";
  const folder = await placeOf(skill, workspace);
  const { bytes, size } = await readInside(join(folder, "SKILL.md"), folder, skillFileBytesMax);
  if (size > skillFileBytesMax) {
    throw new AppError(
      "limit",
      `The SKILL.md of ${skill.name} has ${size} bytes; the limit is ${skillFileBytesMax}. Move a part of it to other files in the same folder.`,
    );
  }
  return new TextDecoder().decode(bytes);
}
