import { open, realpath } from "node:fs/promises";
import { constants } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { planBytesMax, planPathCharsMax } from "../../base/limits.ts";
import { isBelow } from "../../base/is-inside.ts";
import { planFolderParts } from "./plan-folder.ts";

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
