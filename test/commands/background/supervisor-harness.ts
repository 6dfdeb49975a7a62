import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { BackgroundTask } from "../../../src/commands/background/client-tasks.ts";
import { CommandLauncher } from "../../../src/commands/background/command-launcher.ts";
import { SavedOutputs } from "../../../src/commands/background/saved-outputs.ts";
import {
  type ForegroundOutcome,
  type ForegroundSpec,
  Supervisor,
} from "../../../src/commands/background/supervisor.ts";
import { Cancellation } from "../../../src/base/cancellation.ts";
import { Orphanage } from "../../../src/commands/process/orphanage.ts";
import { Guardian } from "../../../src/commands/process/guardian.ts";
import { loadLibc } from "../../../src/commands/process/libc.ts";
import { isGroupAlive } from "../../../src/commands/process/processes.ts";
import { until } from "../process/until.ts";

/**
 * One for all harnesses of this process: children that it is not told of are taken for adopted ones,
 * and ended with the family that is being ended.
 */
const orphanage = new Orphanage();
/** The end of a family is looked for at most this far apart; then nothing looks at our children any more. */
const lastLookMs = 60;

/** A real supervisor with a folder of its own, both gone at the end. */
export class SupervisorHarness {
  readonly folder = mkdtempSync(join(tmpdir(), "scorpiox-supervisor-"));
  readonly savedOutputs: SavedOutputs;
  readonly supervisor: Supervisor;
  readonly launcher: CommandLauncher;

  constructor() {
    // As the product does: without it, whoever adopts a dead command's children may be slow to reap them.
    loadLibc()?.becomeSubreaper();
    const instanceId = `test${process.pid}x${Math.random().toString(36).slice(2)}`;
    const guardian = new Guardian(instanceId, orphanage);
    const shell = { path: "/bin/bash", args: ["-c"], prefix: "" };
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: this.folder };
    this.savedOutputs = new SavedOutputs([join(this.folder, "results")], () => {});
    this.launcher = new CommandLauncher({ instanceId, orphanage, guardian, shell });
    this.supervisor = new Supervisor({
      launcher: this.launcher,
      orphanage,
      guardian,
      savedOutputs: this.savedOutputs,
      environment: () => Promise.resolve(env),
    });
  }

  foreground(commandText: string, more: Partial<ForegroundSpec> = {}): Promise<ForegroundOutcome> {
    return this.supervisor.runForeground({
      clientId: "client",
      commandText,
      cwd: this.folder,
      timeoutMs: 10_000,
      saveAfterBytes: 10_000,
      answerAt: undefined,
      cancellation: new Cancellation(),
      ...more,
    });
  }

  background(commandText: string, clientId = "client"): Promise<BackgroundTask> {
    return this.supervisor.startBackground(clientId, commandText, this.folder, new Cancellation());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.supervisor[Symbol.asyncDispose]();
    await Bun.sleep(lastLookMs);
    rmSync(this.folder, { recursive: true });
  }
}

/** Resolves when the group has no member left. */
export function groupGone(groupId: number): Promise<void> {
  return until(() => !isGroupAlive(groupId));
}

/** A command or a call in the background of a client. */
export function backgroundTask(
  { supervisor }: Pick<SupervisorHarness, "supervisor">,
  clientId: string,
  taskId: number,
): BackgroundTask {
  const task = supervisor.tasksOf(clientId).get(taskId);
  if (task.kind === "output") throw new Error(`${taskId} is an output`);
  return task;
}
