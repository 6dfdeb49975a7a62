import { product } from "../../base/product.ts";
import { upstreamLoginPathMsMax } from "../../base/upstream-limits.ts";
import type { HubArguments } from "../../hub/hub-arguments.ts";
import { ExclusiveServers, type ExclusiveServersParts } from "../../hub/link/exclusive-servers.ts";
import { exclusiveFolderIn } from "../../hub/link/hub-place.ts";
import { storePathIn } from "../../state/store/open-store.ts";
import { createUpstreamWork } from "../../upstream/manager/create-upstream-work.ts";
import { SharedRuntime } from "../../upstream/manager/shared-runtime.ts";
import { ServerProcesses } from "../../upstream/process/server-processes.ts";
import type { OpenUpstreams } from "../../upstream/worker/upstream-work.ts";
import { type Commands, openCommands } from "../open-commands.ts";

/** The processes of a hub, with their guardian. */
export function openHubCommands(
  { homeDir, scorpioxDir, shellPath }: HubArguments,
  log: (line: string) => void,
): Commands {
  return openCommands({
    dirs: { homeDir, scorpioxDir },
    shellPath: shellPath ?? undefined,
    env: process.env,
    warn: log,
    storePath: storePathIn(scorpioxDir),
    noteOfStore: log,
    onTask: () => {},
  });
}

interface HubSurroundings
  extends
    Pick<HubArguments, "idleS" | "scorpioxDir">,
    Pick<ExclusiveServersParts, "clients" | "log"> {}

/** Everything that the sessions of all clients share: the processes of servers, and the connections to them. */
export function openSharedServers(
  commands: Commands,
  { idleS, scorpioxDir, clients, log }: HubSurroundings,
): {
  readonly servers: ServerProcesses;
  readonly open: OpenUpstreams;
  /** Asks the login shell for its PATH, which the first start of a server needs. */
  readonly warm: () => void;
  /** Call it when the number of clients has changed. */
  readonly retell: () => void;
} {
  const folder = exclusiveFolderIn(scorpioxDir);
  const { version } = product;
  const exclusive = new ExclusiveServers({ folder, version, clients, log });
  const loginPath = plainLoginPath(commands);
  const shared = new SharedRuntime(
    { user: commands.user, loginPath },
    idleS * 1_000,
    exclusive.hold,
  );
  return {
    servers: openServers(commands, loginPath),
    open: (options, host) => createUpstreamWork(options, host, { shared }),
    warm: () => void loginPath(),
    retell: () => exclusive.retell(),
  };
}

/** Reads it once for all clients: a shared server gets the same PATH from each of them. */
function plainLoginPath({ environment }: Commands): () => Promise<string | undefined> {
  let asked: Promise<string | undefined> | undefined;
  return () =>
    (asked ??= Promise.race([
      environment.plainLoginPath(),
      Bun.sleep(upstreamLoginPathMsMax).then(() => undefined),
    ]));
}

function openServers(
  commands: Commands,
  loginPath: () => Promise<string | undefined>,
): ServerProcesses {
  const { user, orphanage, guardian, launcher, ledger, supervisor } = commands;
  return new ServerProcesses({
    env: process.env,
    user,
    loginPath,
    orphanage,
    guardian,
    nextMark: () => launcher.nextMark(),
    onFamily: ledger.onFamily,
    collectOrphans: () => supervisor.collectOrphans(),
  });
}
