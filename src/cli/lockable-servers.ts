import { AppError } from "../base/errors.ts";
import type { ConfiguredServer } from "../upstream/config/server-entry.ts";
import type { ServerToLock } from "../upstream/trust/lock/lock-of.ts";
import { lockFileName } from "../upstream/trust/lock/read-lock.ts";
import type { CommandContext } from "./command.ts";
import { askCatalogues, type ServersOfCommand } from "./configured-servers.ts";

/** @throws AppError `usage` where there is no project */
export function projectOf({ config }: ServersOfCommand): string {
  if (config.projectDir !== undefined) return config.projectDir;
  throw new AppError(
    "usage",
    `${lockFileName} belongs to a project, and your home folder is not a project. Run this in a project's folder.`,
  );
}

interface AskedServers {
  readonly reached: readonly ServerToLock[];
  readonly unreachable: readonly { readonly name: string; readonly reason: string }[];
}

/** The user's own servers are left out: others get the lock too. */
export function isOfProject({ entry }: ConfiguredServer): boolean {
  return entry.origin.trust === "project";
}

export async function askAll(
  context: CommandContext,
  view: ServersOfCommand,
  servers: readonly ConfiguredServer[],
): Promise<AskedServers> {
  const replies = await askCatalogues(context, view, servers);
  const reached: ServerToLock[] = [];
  const unreachable: { readonly name: string; readonly reason: string }[] = [];
  for (const server of servers) {
    const reply = replies.get(server.entry.name);
    if (reply?.kind === "catalogue") {
      const { catalogue, scopes } = reply;
      const { entry, identity } = server;
      reached.push({ entry, identity, catalogue, ...(scopes === undefined ? {} : { scopes }) });
    } else
      unreachable.push({
        name: server.entry.name,
        reason: reply?.reason ?? "It was not contacted.",
      });
  }
  return { reached, unreachable };
}
