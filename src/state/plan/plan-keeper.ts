import { realpath, stat, unlink } from "node:fs/promises";
import { join, sep } from "node:path";

import { AppError } from "../../base/errors.ts";
import { planGoalCharsMax } from "../../base/limits.ts";
import type { ServerEvent, StateScope } from "../../base/server-events.ts";
import {
  createPlanFile,
  findActiveFile,
  findPlanFile,
  headingOf,
  planFolderParts,
  type PlanPlaces,
  readPlanFile,
} from "./plan-folder.ts";

/** Plan mode as it is kept, for each scope. */
export interface KeptPlan {
  readonly goal: string;
  /** Absolute real path. */
  readonly planFile: string;
  /** ms since 1970. */
  readonly startedAtMs: number;
}

/** Where it is kept: on the disk when these resolve. */
export interface PlanStore {
  get(scope: StateScope): Promise<KeptPlan | undefined>;
  /** False when one was there already, which stays. */
  setIfAbsent(scope: StateScope, plan: KeptPlan): Promise<boolean>;
  /** Ends the one that began at `startedAtMs` (null: whenever it began) and returns it. */
  clear(scope: StateScope, startedAtMs: number | null): Promise<KeptPlan | undefined>;
}

/** Whose plan, and where its client works. */
export interface PlanPlace {
  readonly scope: StateScope;
  /** Absolute path of the workspace folder. */
  readonly workspaceDir: string;
  /** Instead of the user's own folder of this program, of which plans may be read. */
  readonly scorpioxDir?: string;
}

export interface PlanKeeperParts {
  readonly store: PlanStore;
  readonly scorpioxDir: string;
  readonly emit: (event: ServerEvent) => void;
  readonly now?: () => Date;
}

/** Plan mode: one for each workspace and owner, kept over restarts. */
export class PlanKeeper {
  readonly #parts: PlanKeeperParts;
  readonly #now: () => Date;

  constructor(parts: PlanKeeperParts) {
    this.#parts = parts;
    this.#now = parts.now ?? (() => new Date());
  }

  get({ scope }: PlanPlace): Promise<KeptPlan | undefined> {
    return this.#parts.store.get(scope);
  }

  /**
   * Begins plan mode with a new file, or goes on with a plan of `.scorpiox/plans`.
   * @throws AppError `usage` when it is active already, `refused`, `system`, `limit`
   */
  async enter(place: PlanPlace, goalText: string, planText: string | null): Promise<KeptPlan> {
    const goal = goalFrom(goalText);
    const active = await this.get(place);
    if (active !== undefined) throw alreadyActive(active);
    const planFile = await this.#fileFor(place, goal, planText);
    const plan = { goal, planFile, startedAtMs: this.#now().getTime() };
    try {
      await this.#begin(place, plan);
    } catch (error) {
      if (planText === null) await this.#removeUnused(place, planFile);
      throw error;
    }
    this.#parts.emit({ kind: "plan", scope: place.scope, change: "entered", planFile });
    return plan;
  }

  /**
   * Ends the plan mode that began at `startedAtMs` and keeps its file; nothing when none is active any more.
   * @throws AppError `usage` when another one has begun: nobody has agreed to its plan
   */
  async exit(place: PlanPlace, startedAtMs: number): Promise<void> {
    if (await this.#end(place, "exited", startedAtMs)) return;
    const active = await this.get(place);
    if (active === undefined) return;
    const message = `Plan mode has been started again, with ${active.planFile}, and stays active. Call exit for that plan.`;
    throw new AppError("usage", message);
  }

  /** Ends plan mode, if it is active, and keeps the file. */
  async reset(place: PlanPlace): Promise<void> {
    await this.#end(place, "reset", null);
  }

  /**
   * The plan that was written: that of plan mode, or the file that `planText` names.
   * @throws AppError `usage` when plan mode is not active or nothing was written, and as `findPlanFile`, `readPlanFile`
   */
  async read(
    place: PlanPlace,
    planText: string | null,
  ): Promise<Pick<KeptPlan, "planFile" | "startedAtMs"> & { readonly text: string }> {
    const active = await this.get(place);
    if (active === undefined) {
      throw new AppError("usage", "Plan mode is not active. Start it with `enter` and a `goal`.");
    }
    const { startedAtMs } = active;
    const planFile =
      planText === null
        ? await findActiveFile(active.planFile)
        : await findPlanFile(planText, await this.#placesOf(place));
    const text = await readPlanFile(planFile);
    if (text.trim() !== "" && text.trim() !== headingOf(active.goal).trim()) {
      return { planFile, text, startedAtMs };
    }
    throw new AppError(
      "usage",
      `${planFile} does not contain a plan yet. Write the plan there, then exit.`,
    );
  }

  /** @throws AppError `usage` when another was quicker */
  async #begin(place: PlanPlace, plan: KeptPlan): Promise<void> {
    if (await this.#parts.store.setIfAbsent(place.scope, plan)) return;
    throw alreadyActive((await this.get(place)) ?? plan);
  }

  /** A failure may leave open whether plan mode has begun: then the file stays. */
  async #removeUnused(place: PlanPlace, planFile: string): Promise<void> {
    try {
      if ((await this.get(place))?.planFile !== planFile) await unlink(planFile);
    } catch {
      // The original failure is reported.
    }
  }

  /** False when there was nothing to end. */
  async #end(
    { scope }: PlanPlace,
    change: "exited" | "reset",
    startedAtMs: number | null,
  ): Promise<boolean> {
    const ended = await this.#parts.store.clear(scope, startedAtMs);
    if (ended === undefined) return false;
    this.#parts.emit({ kind: "plan", scope, change, planFile: ended.planFile });
    return true;
  }

  async #fileFor(place: PlanPlace, goal: string, planText: string | null): Promise<string> {
    const places = await this.#placesOf(place);
    if (planText === null) return createPlanFile(places.workspace, goal, this.#now());
    const planFile = await findPlanFile(planText, places);
    // While plan mode is active commands may write this file: it must be a plan and nothing else.
    const folder = join(places.workspace, ...planFolderParts);
    if (planFile.startsWith(folder + sep) && planFile.endsWith(".md")) {
      await readPlanFile(planFile);
      await assertOneName(planFile);
      return planFile;
    }
    const message = `With enter, \`plan_file\` continues an existing plan: a .md file in ${folder}. Leave it out for a new plan.`;
    throw new AppError("refused", message);
  }

  async #placesOf(place: PlanPlace): Promise<PlanPlaces> {
    const { workspaceDir, scorpioxDir = this.#parts.scorpioxDir } = place;
    const [workspace, ownDir] = await Promise.all([realOr(workspaceDir), realOr(scorpioxDir)]);
    return { workspace, scorpioxDir: ownDir };
  }
}

/** Writing to a file that has another name would change that one too. */
async function assertOneName(path: string): Promise<void> {
  const { nlink } = await stat(path);
  if (nlink === 1) return;
  throw new AppError(
    "refused",
    `${path} has other names (hard links), which would change with it.`,
  );
}

async function realOr(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}

/** @throws AppError `limit`, `usage` */
function goalFrom(text: string): string {
  const goal = text.trim().replaceAll("\r\n", "\n").toWellFormed();
  if (goal === "") throw new AppError("usage", "`goal` is missing: say what the plan is for.");
  if (goal.includes("\0")) throw new AppError("usage", "`goal` contains a NUL character.");
  if (goal.length <= planGoalCharsMax) return goal;
  const message = `\`goal\` has ${goal.length} characters; the limit is ${planGoalCharsMax}. Put the rest into the plan.`;
  throw new AppError("limit", message);
}

function alreadyActive({ goal, planFile }: KeptPlan): AppError {
  const [title = ""] = goal.split("\n");
  return new AppError(
    "usage",
    `Plan mode is already active (${title.slice(0, 200)}). Continue with ${planFile}, leave it with exit, or drop it with reset.`,
  );
}
