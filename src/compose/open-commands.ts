import { randomHex } from "../base/digests.ts";
import { ownCommand } from "../base/product.ts";
import type { BackgroundTask } from "../commands/background/client-tasks.ts";
import { CommandEnvironment } from "../commands/background/command-environment.ts";
import { CommandLauncher } from "../commands/background/command-launcher.ts";
import { FamilyLedger } from "../commands/background/family-ledger.ts";
import { resultFolders, SavedOutputs } from "../commands/background/saved-outputs.ts";
import { Supervisor } from "../commands/background/supervisor.ts";
import { Guardian } from "../commands/process/guardian.ts";
import { loadLibc } from "../commands/process/libc.ts";
import { Orphanage } from "../commands/process/orphanage.ts";
import { describeUser, type User } from "../commands/process/process-origin.ts";
import { findShell, type Shell } from "../commands/process/shell.ts";
import type { ConfigDirs } from "../config/places.ts";
import { openStore } from "../state/store/open-store.ts";
import { isBusy } from "../state/store/store-errors.ts";
import { Ledger } from "../state/store/tables.ts";
import type { ApplicationOptions } from "./program-parts.ts";

/** A ledger write waits this long for another process: it is on the main thread, and is tried again later. */
const ledgerBusyMsMax = 20;

export interface CommandsParts extends Pick<ApplicationOptions, "env" | "warn"> {
  readonly dirs: Pick<ConfigDirs, "homeDir" | "scorpioxDir">;
  /** The shell of the configuration; undefined: the system's. */
  readonly shellPath: string | undefined;
  readonly storePath: string;
  /** Receives notices about the store's file, beside `warn`. */
  readonly noteOfStore: (notice: string) => void;
  readonly onTask: (clientId: string, task: BackgroundTask) => void;
}

/** Everything that starts commands, keeps their output, and ends them. */
export interface Commands {
  /** The id of this server: its marks on processes begin with it. */
  readonly instanceId: string;
  readonly orphanage: Orphanage;
  readonly guardian: Guardian;
  readonly launcher: CommandLauncher;
  readonly ledger: FamilyLedger;
  readonly shell: Shell;
  readonly user: User;
  readonly environment: CommandEnvironment;
  readonly savedOutputs: SavedOutputs;
  readonly supervisor: Supervisor;
}

/** Makes this process the subreaper of its descendants. */
export function openCommands(parts: CommandsParts): Commands {
  const { dirs, shellPath, env, warn, onTask } = parts;
  const libc = loadLibc();
  libc?.becomeSubreaper();
  libc?.disableCoreFiles();
  const instanceId = randomHex(16);
  const ledger = new FamilyLedger({ instanceId, open: () => openLedger(parts), isBusy, warn });
  const orphanage = new Orphanage();
  const guardian = new Guardian(instanceId, orphanage, ownCommand());
  const shell = findShell({ shellPath, env, platform: process.platform });
  const { onFamily } = ledger;
  const launcher = new CommandLauncher({ instanceId, orphanage, guardian, shell, onFamily });
  const user = describeUser(dirs.homeDir);
  const environment = new CommandEnvironment({ launcher, env, user });
  const savedOutputs = new SavedOutputs(resultFolders(dirs.scorpioxDir), warn);
  const supervisor = new Supervisor({
    launcher,
    orphanage,
    guardian,
    savedOutputs,
    environment: environment.get,
    warn,
    onTask,
  });
  const own = { orphanage, guardian, launcher, ledger, shell, user, environment, savedOutputs };
  return { instanceId, supervisor, ...own };
}

function openLedger({ storePath, warn, noteOfStore }: CommandsParts): Ledger {
  return new Ledger(
    openStore(storePath, {
      busyMsMax: ledgerBusyMsMax,
      synchronous: "normal",
      warn: (notice) => {
        warn(notice);
        noteOfStore(notice);
      },
    }),
  );
}
