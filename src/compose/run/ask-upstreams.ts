import { AppError, messageOf } from "../../base/errors.ts";
import type { ServerWatch, UpstreamTool, UpstreamToolsWanted } from "../../cli/command.ts";
import type { ConfiguredServer } from "../../upstream/config/server-entry.ts";
import type { AskedCatalogue, InstallOutcome, TriedServer } from "../../upstream/server-state.ts";
import { type AskedAs, awaitServers } from "../../upstream/upstreams.ts";
import { Application } from "../application.ts";
import type { LazyUpstreams } from "../lazy-upstreams.ts";
import type { ProgramParts, ApplicationOptions } from "../program-parts.ts";

/** How a command asks: it may be interrupted, and may want to see how far each server is. */
interface Asked {
  readonly signal: AbortSignal;
  readonly watch?: ServerWatch | undefined;
}

/** For commands: the offers of servers, by name. @throws AppError `cancelled` */
export function askUpstreams(
  parts: ProgramParts,
  options: ApplicationOptions,
  servers: readonly ConfiguredServer[],
  { signal, how = {} }: { readonly signal: AbortSignal; readonly how?: AskedAs & ServerWatch },
): Promise<ReadonlyMap<string, AskedCatalogue>> {
  return askEach(parts, options, servers, {
    ask: (upstreams, server) => {
      const asked = how.asLastHeard === true ? { asLastHeard: how.asLastHeard } : {};
      return upstreams.control({ kind: "ask", server, ...asked }, signal);
    },
    onFailure: (reason) => ({ kind: "unreachable", reason }),
    watch: how,
  });
}

/** For commands: how starting each server goes, by name. @throws AppError `cancelled` */
export function tryUpstreams(
  parts: ProgramParts,
  options: ApplicationOptions,
  servers: readonly ConfiguredServer[],
  { signal, watch = {} }: Asked,
): Promise<ReadonlyMap<string, TriedServer | string>> {
  return askEach<TriedServer | string>(parts, options, servers, {
    ask: (upstreams, server) => upstreams.control({ kind: "try", server }, signal),
    onFailure: (reason) => reason,
    watch,
  });
}

/** For commands: fetches the packages of servers, and returns the outcomes by name. @throws AppError `cancelled` */
export function installUpstreams(
  parts: ProgramParts,
  options: ApplicationOptions,
  servers: readonly ConfiguredServer[],
  { signal, watch = {} }: Asked,
): Promise<ReadonlyMap<string, InstallOutcome>> {
  return askEach<InstallOutcome>(parts, options, servers, {
    ask: (upstreams, server) => upstreams.control({ kind: "install", server }, signal),
    onFailure: (reason) => ({ kind: "failed", reason }),
    watch,
  });
}

interface Asking<Reply> {
  readonly ask: (upstreams: LazyUpstreams, server: ConfiguredServer) => Promise<Reply>;
  /** The Worker was lost. */
  readonly onFailure: (reason: string) => Reply;
  readonly watch: ServerWatch;
}

/** All at the same time, in a Worker that does nothing else. Nothing is left of it afterwards. */
async function askEach<Reply>(
  parts: ProgramParts,
  options: ApplicationOptions,
  servers: readonly ConfiguredServer[],
  { ask, onFailure, watch }: Asking<Reply>,
): Promise<ReadonlyMap<string, Reply>> {
  await using app = new Application(parts, { ...options, isPassive: true });
  app.upstreams.listen((event) => {
    if (event.kind === "installing") watch.onInstalling?.(event.server, event.installing);
  });
  const askOne = async (server: ConfiguredServer): Promise<[string, Reply]> => {
    const { name } = server.entry;
    try {
      return [name, await ask(app.upstreams, server)];
    } catch (error) {
      if (error instanceof AppError && error.code === "cancelled") throw error;
      return [name, onFailure(messageOf(error))];
    } finally {
      watch.onEnd?.(name);
    }
  };
  return new Map(await Promise.all(servers.map(askOne)));
}

/** For commands: the tools of upstream servers that may be called. */
export async function upstreamTools(
  upstreams: LazyUpstreams,
  { server, waits }: UpstreamToolsWanted,
): Promise<readonly UpstreamTool[]> {
  if (!upstreams.isWanted) return [];
  await (waits ? awaitServers(upstreams, server) : upstreams.settled(0));
  const wanted = server === undefined ? {} : { server };
  return upstreams.control({ kind: "tools", ...wanted });
}
