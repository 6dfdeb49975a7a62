import { AppError } from "../base/errors.ts";
import { HookApprovals } from "../calls/policy/hooks/hook-approvals.ts";
import { type HookRow, type HookToApprove, surveyHooks } from "../calls/policy/hooks/hook-cache.ts";
import { hooksFoldersOf } from "../calls/policy/hooks/session-folder.ts";
import type { StartUp } from "./start-up.ts";

/** Everything in the hooks folders, in the order in which it runs. */
export async function readHookRows({ dirs }: StartUp): Promise<readonly HookRow[]> {
  const approvals =
    dirs.projectDir === undefined
      ? undefined
      : new HookApprovals(dirs.scorpioxDir, dirs.projectDir);
  const found = await surveyHooks(hooksFoldersOf(dirs), approvals);
  return found.map(({ row }) => row);
}

/** The hooks of the project, and which of them are approved. */
export interface ProjectHooks {
  readonly hooks: readonly HookToApprove[];
  readonly approvals: HookApprovals;
}

/**
 * The project's hooks that can be approved; those of `keys` when there are any.
 * @throws AppError `not_found` where there is no project, or no hook of that name
 */
export async function readProjectHooks(
  { dirs }: StartUp,
  keys: readonly string[],
): Promise<ProjectHooks> {
  const approvals = readApprovals({ dirs });
  const folders = hooksFoldersOf(dirs).filter(({ scope }) => scope === "project");
  const all = (await surveyHooks(folders, approvals)).flatMap(({ row, content }) =>
    content === undefined ? [] : [{ row, content }],
  );
  const unknown = keys.find((key) => !all.some(({ row }) => keyOf(row) === key));
  if (unknown !== undefined) {
    const where = `${dirs.projectDir}/.scorpiox/hooks`;
    throw new AppError(
      "not_found",
      `There is no hook ${unknown} in ${where}. See: scorpiox-code hooks list`,
    );
  }
  const hooks = keys.length === 0 ? all : all.filter(({ row }) => keys.includes(keyOf(row)));
  return { hooks, approvals };
}

/** The approved hooks of the project. @throws AppError `not_found` where there is no project */
export function readApprovals({ dirs }: Pick<StartUp, "dirs">): HookApprovals {
  if (dirs.projectDir !== undefined) return new HookApprovals(dirs.scorpioxDir, dirs.projectDir);
  throw new AppError("not_found", "There is no project here: give its folder with --cwd.");
}

/** How a hook is named: its event and its file. */
export function keyOf({ event, name }: Pick<HookRow, "event" | "name">): string {
  return `${event}/${name}`;
}
