import { dirname, join } from "node:path";

import { messageOf } from "../../base/errors.ts";
import { AuditFile } from "../../calls/policy/audit/audit-file.ts";
import { AuditLog } from "../../calls/policy/audit/audit-log.ts";
import { configuredAt } from "../../cli/start-up.ts";
import { KeptTasks } from "../../hub/kept/kept-tasks.ts";
import type { KeptEnded } from "../../hub/kept/task-keeper.ts";
import { createHooks } from "../hooks.ts";
import type { Commands } from "../open-commands.ts";

export interface HubKeptParts {
  readonly scorpioxDir: string;
  readonly homeDir: string;
  readonly commands: Commands;
  /** The number of running tasks has changed. */
  readonly onChange: () => void;
  /** The process with which the hub ends, for people. */
  readonly endsWith: () => string | undefined;
  readonly log: (line: string) => void;
}

export interface HubKept {
  readonly tasks: KeptTasks;
  /** For which the hub stays: a task that runs, or a hook about one that has ended. */
  readonly isBusy: () => boolean;
}

/** The kept tasks of the hub, with their own lines in the audit log. */
export function openHubKept(parts: HubKeptParts): HubKept {
  const hooks = new HubHooks(parts);
  const audit = new AuditLog(new AuditFile(join(parts.scorpioxDir, "audit")), parts.log);
  const tasks = new KeptTasks({
    ...parts,
    orphanage: parts.commands.orphanage,
    onEnded: hooks.onEnded,
    audit: {
      add: (line) => audit.add(() => line),
      flush: () => audit.flush(),
    },
  });
  return { tasks, isBusy: () => tasks.alive > 0 || hooks.isBusy };
}

interface HubHooksParts {
  readonly homeDir: string;
  readonly scorpioxDir: string;
  readonly commands: Commands;
  /** The last hook that ran has ended. */
  readonly onChange: () => void;
  readonly log: (line: string) => void;
}

/** Hooks for kept tasks that end after their client: of the user, and approved ones of the task's project. */
class HubHooks {
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
