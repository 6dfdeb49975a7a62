import { dirname } from "node:path";

import { messageOf } from "../base/errors.ts";
import { configuredAt } from "../cli/start-up.ts";
import type { KeptEnded } from "../hub/kept/task-keeper.ts";
import { createHooks } from "./hooks.ts";
import type { Commands } from "./open-commands.ts";

export interface HubHooksParts {
  readonly homeDir: string;
  readonly scorpioxDir: string;
  readonly commands: Commands;
  /** The last hook that ran has ended. */
  readonly onChange: () => void;
  readonly log: (line: string) => void;
}

/** Hooks for kept tasks that end after their client: of the user, and approved ones of the task's project. */
export class HubHooks {
  readonly #parts: HubHooksParts;
  #running = 0;

  constructor(parts: HubHooksParts) {
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#running > 0;
  }

  readonly onEnded = (ended: KeptEnded): void => {
    this.#running += 1;
    void this.#run(ended)
      .catch((error: unknown) => this.#parts.log(`Hooks of a kept task: ${messageOf(error)}`))
      .finally(() => {
        this.#running -= 1;
        this.#parts.onChange();
      });
  };

  async #run({ taskId, command, exitCode, cwd, projectDir }: KeptEnded): Promise<void> {
    const { homeDir, scorpioxDir, commands, log } = this.#parts;
    const executableDir = dirname(process.execPath);
    const dirs = { homeDir, scorpioxDir, executableDir, projectDir: projectDir ?? undefined };
    const { env } = process;
    const start = configuredAt(dirs, env);
    if (!start.config.settings.hooks.isEnabled) return;
    const { instanceId, supervisor, environment } = commands;
    const common = { env, warn: log, instanceId, supervisor, environment: environment.get };
    const hooks = createHooks({ ...common, start });
    const change = { clientId: "kept", change: "ended", taskId, command, exitCode };
    hooks.tell({ eventName: "background", clientId: "kept", cwd: () => cwd, data: () => change });
    await hooks.settled();
    hooks.close();
  }
}
