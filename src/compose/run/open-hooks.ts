import { randomHex } from "../../base/digests.ts";
import { ownCommand } from "../../base/product.ts";
import type { OpenHooks } from "../../cli/command.ts";
import type { StartUp } from "../../cli/start-up.ts";
import { CommandEnvironment } from "../../commands/background/command-environment.ts";
import { CommandLauncher } from "../../commands/background/command-launcher.ts";
import { resultFolders, SavedOutputs } from "../../commands/background/saved-outputs.ts";
import { Supervisor } from "../../commands/background/supervisor.ts";
import { Guardian } from "../../commands/process/guardian.ts";
import { loadLibc } from "../../commands/process/libc.ts";
import { Orphanage } from "../../commands/process/orphanage.ts";
import { describeUser } from "../../commands/process/process-origin.ts";
import { findShell } from "../../commands/process/shell.ts";
import { createHooks } from "../hooks.ts";
import type { ApplicationOptions } from "../program-parts.ts";

/** The client id of hooks run from the command line. */
const commandLine = "command-line";

/** Runs hooks for one command, without a server around them. */
export function openHooks(
  start: StartUp,
  { env, warn }: Pick<ApplicationOptions, "env" | "warn">,
): OpenHooks {
  loadLibc()?.becomeSubreaper();
  const instanceId = randomHex(16);
  const orphanage = new Orphanage();
  const guardian = new Guardian(instanceId, orphanage, ownCommand());
  const { shellPath } = start.config.settings;
  const shell = findShell({ shellPath, env, platform: process.platform });
  const launcher = new CommandLauncher({ instanceId, orphanage, guardian, shell });
  const user = describeUser(start.dirs.homeDir);
  const environment = new CommandEnvironment({ launcher, env, user }).get;
  const savedOutputs = new SavedOutputs(resultFolders(start.dirs.scorpioxDir), warn);
  const supervisor = new Supervisor({
    launcher,
    orphanage,
    guardian,
    savedOutputs,
    environment,
    warn,
  });
  const common = { start, env, warn, instanceId, supervisor, environment };
  return {
    async emit(eventName, data, { cwd, signal, onEnd }) {
      const hooks = createHooks({ ...common, onHookEnd: onEnd });
      await hooks.emit({
        eventName,
        clientId: commandLine,
        cwd: () => cwd,
        data: () => data,
        signal,
      });
      await hooks.settled();
    },
    [Symbol.asyncDispose]: () => supervisor[Symbol.asyncDispose](),
  };
}
