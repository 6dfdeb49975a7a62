import { lstat, mkdir, open, realpath, unlink } from "node:fs/promises";
import { constants } from "node:fs";
import { join } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";

/** A file name is read at a glance, and other parts of a path need room too. */
const slugCharsMax = 48;

/** The name of a new plan's file: `<date>-<slug>.md`, in the date of this machine's time zone. */
export function planFileName(goal: string, now: Date, attempt: number): string {
  const suffix = attempt === 0 ? "" : `-${attempt + 1}`;
  return `${localDate(now)}-${slugOf(goal)}${suffix}.md`;
}

/** Letters and digits of any script, joined by hyphens; a word is not cut unless it is the only one. */
function slugOf(goal: string): string {
  const words =
    goal
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  let slug = "";
  for (const word of words) {
    const longer =
      slug === "" ? Array.from(word).slice(0, slugCharsMax).join("") : `${slug}-${word}`;
    if (Array.from(longer).length > slugCharsMax) break;
    slug = longer;
  }
  return slug === "" ? "plan" : slug;
}

function localDate(now: Date): string {
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}

/** The most plans of one day and one goal in a folder. */
const attemptsMax = 100;

/** Made in each workspace that has a plan, under this path. */
export const planFolderParts = [".scorpiox", "plans"] as const;

/**
 * Makes the file of a new plan with its heading and goal. Nothing on the way may be a link, and no file is overwritten.
 * @param root the real path of the folder that gets `.scorpiox/plans`
 * @returns its path
 * @throws AppError `refused` for links, `system` when it cannot be written
 */
export async function createPlanFile(root: string, goal: string, now: Date): Promise<string> {
  const folder = await makeFolder(root);
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const path = join(folder, planFileName(goal, now, attempt));
    if (await writeNew(path, headingOf(goal))) return path;
  }
  const message = `${folder} already has ${attemptsMax} plans from today for this goal. Reword the goal.`;
  throw new AppError("limit", message);
}

/** What a plan that nobody has written yet looks like. */
export function headingOf(goal: string): string {
  const [title = "", ...more] = goal.split("\n");
  const rest = more.join("\n").trim();
  return `# Plan: ${title}\n\n${rest === "" ? "" : `${rest}\n\n`}`;
}

async function makeFolder(root: string): Promise<string> {
  let folder = root;
  for (const part of planFolderParts) {
    folder = join(folder, part);
    try {
      await mkdir(folder, 0o755);
    } catch (error) {
      if (systemCodeOf(error) !== "EEXIST") throw unwritable(folder, error);
      await assertOwnFolder(folder);
    }
  }
  return folder;
}

async function assertOwnFolder(folder: string): Promise<void> {
  const stats = await lstat(folder);
  if (stats.isDirectory()) return;
  const what = stats.isSymbolicLink() ? "a link" : "not a folder";
  throw new AppError(
    "refused",
    `${folder} is ${what}: plans are written only into a real folder of the workspace. Move it away.`,
  );
}

/** False when there is such a file. */
async function writeNew(path: string, text: string): Promise<boolean> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  try {
    await using file = await open(path, flags, 0o644);
    // The folder may have been changed for a link since it was looked at.
    if ((await realpath(path)) !== path) {
      await unlink(path);
      throw new AppError("refused", `${path} points elsewhere: a folder in its path is a link.`);
    }
    await file.writeFile(text);
    return true;
  } catch (error) {
    if (systemCodeOf(error) === "EEXIST") return false;
    throw error instanceof AppError ? error : unwritable(path, error);
  }
}

function unwritable(path: string, cause: unknown): AppError {
  const isGone = systemCodeOf(cause) === "ENOENT";
  const remedy = isGone
    ? "The workspace folder is gone: create it again."
    : "Make the folder writable.";
  const message = `The plan cannot be written: ${path}: ${messageOf(cause)}. ${remedy}`;
  return new AppError("system", message, { cause });
}
