import { upstreamToolsWaitMs } from "../base/upstream-limits.ts";
import { orAborted } from "../base/or-aborted.ts";
import { product } from "../base/product.ts";
import { awaitServers } from "../upstream/await-servers.ts";
import { CatalogueCache } from "../upstream/cache/catalogue-cache.ts";
import { restingInfo } from "../upstream/manager/resting-info.ts";
import { readServerStatuses } from "../upstream/manager/server-status.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import { readLock } from "../upstream/trust/lock/read-lock.ts";
import type { CommandContext } from "./command.ts";
import type { ServersOfCommand } from "./configured-servers.ts";

/** The upstream servers as one scorpiox-code process sees them. */
export interface StatusView {
  readonly source: "running" | "connected" | "configuration";
  /** Null: no scorpiox-code process runs them. */
  readonly pid: number | null;
  readonly version: string;
  readonly projectDir: string | null;
  readonly servers: readonly ServerInfo[];
}

/** The views of all running processes of this user, those of this project first; for a project without one, its files. */
export async function readStatusViews(view: ServersOfCommand): Promise<readonly StatusView[]> {
  const { scorpioxDir, projectDir = null } = view.start.dirs;
  const running = (await readServerStatuses(scorpioxDir)).map((status): StatusView => {
    const { pid, version, projectDir: itsDir, servers } = status;
    return { source: "running", pid, version, projectDir: itsDir, servers };
  });
  const here = running.filter((one) => one.projectDir === projectDir);
  const elsewhere = running.filter((one) => one.projectDir !== projectDir);
  return [...(here.length > 0 ? here : [await restingView(view)]), ...elsewhere];
}

/**
 * Starts every server that may be started, and waits for the outcomes.
 * @throws {AppError} `cancelled` when the command is interrupted
 */
export async function connectedView(
  view: ServersOfCommand,
  { services, io }: CommandContext,
): Promise<StatusView> {
  const open = await services.createRouter(view.start);
  try {
    const { upstreams } = open;
    if (upstreams?.isWanted !== true) return viewOf(view, "connected", []);
    await orAborted(awaitServers(upstreams), io.interrupted);
    const waits = view.servers.map(({ entry: { name, options } }) =>
      upstreams.control({
        kind: "connect",
        server: name,
        // It may be asked twice, and be ended in between.
        waitMs: options.initTimeoutMs + upstreamToolsWaitMs,
      }),
    );
    // One that has gone from the configuration meanwhile is in no list.
    await orAborted(Promise.allSettled(waits), io.interrupted);
    return viewOf(view, "connected", await upstreams.infoList());
  } finally {
    await open.close();
  }
}

async function restingView(view: ServersOfCommand): Promise<StatusView> {
  const { start, store, config } = view;
  const { dirs, upstream } = start;
  const { projectDir } = dirs;
  const lock = projectDir === undefined ? { kind: "absent" as const } : await readLock(projectDir);
  const parts = {
    options: {
      dirs,
      trustsProject: upstream.trustsProject,
      onChange: upstream.onChange,
      toolNameMax: start.config.settings.mcp.toolNameMax,
    },
    trust: store,
    rules: () => config.rules,
    lock: () => lock,
    cache: new CatalogueCache(dirs.scorpioxDir),
  };
  const servers = [...config.servers.values()].toSorted((a, b) =>
    a.entry.name < b.entry.name ? -1 : 1,
  );
  const infos: ServerInfo[] = [];
  for (const server of servers) infos.push(await restingInfo(server, parts));
  return viewOf(view, "configuration", infos);
}

function viewOf(
  { start }: ServersOfCommand,
  source: StatusView["source"],
  servers: readonly ServerInfo[],
): StatusView {
  const { projectDir = null } = start.dirs;
  return { source, pid: null, version: product.version, projectDir, servers };
}
