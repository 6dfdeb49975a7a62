import { hideInArguments, hideInUrl } from "../../../base/hide-secrets.ts";
import type { ServerCatalogue } from "../../connect/server-catalogue.ts";
import { assignNames } from "../../names/assign-names.ts";
import { exposedName } from "../../names/exposed-name.ts";
import type { ConfiguredServer, ServerLaunch } from "../../config/server-entry.ts";
import { instructionsHash, promptHash, toolHash } from "../definition-hash.ts";
import { packageOf } from "./package-of.ts";
import type { LockedLaunch, LockedServer, LockedTool, ProjectLock } from "./project-lock.ts";

/** A server that answered. */
export interface ServerToLock extends Pick<ConfiguredServer, "entry" | "identity"> {
  readonly catalogue: ServerCatalogue;
  readonly scopes?: readonly string[];
}

/**
 * The lock of these servers; their order changes nothing.
 * @param toolNameMax characters of an exposed name
 * @param before the lock that is replaced: names that tools had in it are kept as aliases (NM7)
 */
export function lockOf(
  servers: readonly ServerToLock[],
  {
    toolNameMax,
    before,
  }: { readonly toolNameMax: number; readonly before?: ProjectLock | undefined },
): ProjectLock {
  const originals = servers.flatMap(({ entry, catalogue }) => {
    return catalogue.tools.map(({ name }) => ({ server: entry.name, tool: name }));
  });
  const { assigned } = assignNames(originals, toolNameMax);
  const exposed = new Map(assigned.map(({ item, name }) => [keyOf(item.server, item.tool), name]));
  const byName = servers.toSorted((a, b) => (a.entry.name < b.entry.name ? -1 : 1));
  const locked = byName.map((server) => {
    const { name } = server.entry;
    const nameOf = (tool: string): string => {
      return exposed.get(keyOf(name, tool)) ?? exposedName(name, tool, toolNameMax);
    };
    return [name, lockServer(server, nameOf, before?.servers.get(name))] as const;
  });
  return { servers: new Map(locked) };
}

/** What the lock says of how a server is started; also where it has not been asked. */
function lockedLaunch(launch: ServerLaunch): LockedLaunch {
  if (launch.transport === "http") {
    const { transport, url, headers } = launch;
    return { transport, url: hideInUrl(url), headers: Object.keys(headers).sort() };
  }
  const { transport, command, args, env, cwd } = launch;
  return {
    transport,
    command,
    args: hideInArguments(args),
    env: Object.keys(env).sort(),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function lockServer(
  { entry, identity, catalogue, scopes }: ServerToLock,
  nameOf: (tool: string) => string,
  before: LockedServer | undefined,
): LockedServer {
  const { serverInfo, instructions, protocolVersion } = catalogue;
  const runs = packageOf(entry.launch);
  return {
    launch: lockedLaunch(entry.launch),
    identity,
    ...(runs === undefined ? {} : { package: runs }),
    ...(serverInfo === undefined
      ? {}
      : { server: { name: serverInfo.name, version: serverInfo.version } }),
    protocolVersion,
    ...(instructions === undefined ? {} : { instructions: instructionsHash(instructions) }),
    tools: new Map(
      catalogue.tools.map((tool) => {
        const present = { hash: toolHash(tool), exposed: nameOf(tool.name) };
        return [tool.name, withEarlier(present, before?.tools.get(tool.name))];
      }),
    ),
    prompts: new Map(catalogue.prompts.map((prompt) => [prompt.name, promptHash(prompt)])),
    ...(scopes === undefined ? {} : { scopes: scopes.toSorted() }),
  };
}

function withEarlier(present: LockedTool, before: LockedTool | undefined): LockedTool {
  const names = new Set([
    ...(before?.earlier ?? []),
    ...(before === undefined ? [] : [before.exposed]),
  ]);
  names.delete(present.exposed);
  return names.size === 0 ? present : { ...present, earlier: [...names].sort() };
}

function keyOf(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}
