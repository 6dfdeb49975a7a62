import { constants } from "node:fs";
import { lstat, mkdir, open, realpath, unlink } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { planBytesMax, planPathCharsMax } from "../../base/limits.ts";
import { isBelow } from "../../base/paths.ts";

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

/** The text of a plan before anybody has written it. */
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

/** The folders that may contain a plan; both are real paths. */
export interface PlanPlaces {
  readonly workspace: string;
  /** The user's own `.scorpiox`, of which only the plans may be read: secrets are beside them. */
  readonly scorpioxDir: string;
}

/**
 * The real path of the plan that `text` names, as the model gave it.
 * @throws AppError `usage`, `not_found`, or `refused` when it is outside of the places for plans, or leads out of them
 */
export async function findPlanFile(text: string, places: PlanPlaces): Promise<string> {
  assertPath(text);
  const named = isAbsolute(text) ? text : resolve(places.workspace, text);
  // A file that must not be read must not be looked up either: the answer would reveal whether it exists.
  if (!isPlace(named, places)) throw outside(text, places);
  const path = await realPathOf(named, text);
  if (isPlace(path, places)) return path;
  throw outside(text, places);
}

/**
 * The file of plan mode, if it is still where it was made: with a name for the workspace that may be another folder.
 * @throws AppError `not_found`, `refused` when a link has come into the way, `system`
 */
export async function findActiveFile(planFile: string): Promise<string> {
  const remedy = "Put the plan there, give another `plan_file`, or drop plan mode with reset.";
  const path = await realpath(planFile).catch((error: unknown) => {
    if (!isMissing(error)) throw unreadable(planFile, error);
    throw new AppError("not_found", `The plan file ${planFile} is gone. ${remedy}`);
  });
  if (path === planFile) return path;
  throw new AppError("refused", `The plan file ${planFile} is now a link to ${path}. ${remedy}`);
}

/**
 * The text of a plan of at most 1 MiB. Judged on the opened file; opening never waits.
 * @throws AppError `refused`, `limit`, `not_found`, `system`
 */
export async function readPlanFile(path: string): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    await using file = await open(path, flags);
    const stats = await file.stat();
    if (!stats.isFile()) throw new AppError("refused", `${path} is not a regular file.`);
    if (stats.size > planBytesMax) {
      const message = `${path} has ${stats.size} bytes; the limit for a plan is ${planBytesMax}. Shorten it.`;
      throw new AppError("limit", message);
    }
    const bytes = new Uint8Array(planBytesMax);
    const { bytesRead } = await file.read(bytes, 0, planBytesMax, 0);
    return new TextDecoder().decode(bytes.subarray(0, bytesRead));
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(path, error);
  }
}

function assertPath(text: string): void {
  if (text.trim() === "") throw new AppError("usage", "`plan_file` is empty.");
  if (text.includes("\0")) throw new AppError("usage", "`plan_file` contains a NUL character.");
  if (text.length <= planPathCharsMax) return;
  const message = `\`plan_file\` has ${text.length} characters; the limit is ${planPathCharsMax}.`;
  throw new AppError("usage", message);
}

function isPlace(path: string, { workspace, scorpioxDir }: PlanPlaces): boolean {
  if (isBelow(path, join(scorpioxDir, "plans"))) return true;
  // A workspace may be the home folder, and has the user's own files below it then.
  if (isBelow(path, scorpioxDir)) return isBelow(path, join(workspace, ...planFolderParts));
  return isBelow(path, workspace);
}

async function realPathOf(path: string, text: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    throw unreadable(text, error);
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(String(systemCodeOf(error)));
}

function unreadable(path: string, cause: unknown): AppError {
  const shown = JSON.stringify(path.slice(0, 200));
  if (isMissing(cause)) {
    return new AppError(
      "not_found",
      `The plan ${shown} does not exist. Leave \`plan_file\` out for the active plan.`,
    );
  }
  return new AppError("system", `The plan ${shown} cannot be read: ${messageOf(cause)}.`, {
    cause,
  });
}

function outside(text: string, { workspace }: PlanPlaces): AppError {
  const shown = JSON.stringify(text.slice(0, 200));
  return new AppError(
    "refused",
    `\`plan_file\` ${shown} is not inside the workspace ${workspace}. A plan must be there or in .scorpiox/plans.`,
  );
}
