import { hideInArguments, hideInUrl } from "../../../base/secrets.ts";
import type { Params } from "../../../protocol/json-rpc.ts";
import type { ConfiguredServer, ServerLaunch } from "../../config/server-entry.ts";
import type { ServerCatalogue } from "../../connect/connection.ts";
import { packageOf } from "../../install/runner-words.ts";
import { assignNames, exposedName } from "../../names/assign-names.ts";
import {
  differencesOf,
  type FieldDifference,
  instructionsHash,
  promptHash,
  toolHash,
} from "../approved-definition.ts";
import {
  type LockedLaunch,
  type LockedServer,
  type LockedTool,
  type ProjectLock,
  serverValue,
} from "./read-lock.ts";

/** A server whose catalogue was read. */
export interface ServerToLock extends Pick<ConfiguredServer, "entry" | "identity"> {
  readonly catalogue: ServerCatalogue;
  readonly scopes?: readonly string[];
}

/**
 * The lock of these servers; their order does not matter.
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
  const assigned = assignNames(originals, toolNameMax);
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

/** The launch of a server in the lock; needs no connection. */
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

/** One difference between a server and the lock, apart from its offer (`catalogueDifferences`). */
export type LockFinding =
  | {
      readonly kind: "changed";
      readonly server: string;
      readonly differences: readonly FieldDifference[];
    }
  | { readonly kind: "missing" | "new"; readonly server: string };

/** The parts that are known without a connection. */
const offlineParts = ["launch", "identity", "package"];

/**
 * The differences between servers and the lock, sorted by server. @param parts `configured` compares only
 * configuration; `asked` also the servers' own descriptions
 */
export function compareLocks(
  lock: ProjectLock,
  present: ProjectLock,
  parts: "configured" | "asked",
): readonly LockFinding[] {
  const names = [...new Set([...lock.servers.keys(), ...present.servers.keys()])].sort();
  return names.flatMap((server): readonly LockFinding[] => {
    const old = lock.servers.get(server);
    const now = present.servers.get(server);
    if (old === undefined) return [{ kind: "new", server }];
    if (now === undefined) return [{ kind: "missing", server }];
    const differences = differencesOf(partsOf(old, now, parts), partsOf(now, old, parts));
    return differences.length === 0 ? [] : [{ kind: "changed", server, differences }];
  });
}

function partsOf(server: LockedServer, other: LockedServer, parts: "configured" | "asked"): Params {
  const { scopes, instructions: _, ...rest } = server;
  const tools = [...server.tools].filter(([name]) => other.tools.has(name));
  const value = serverValue({
    ...rest,
    // `catalogueDifferences` compares the hashes, where it can show the definitions.
    tools: new Map(tools.map(([name, tool]) => [name, { ...tool, hash: "" }])),
    prompts: new Map(),
    // Scopes are compared only when both sides have them.
    ...(scopes === undefined || other.scopes === undefined ? {} : { scopes }),
  });
  if (parts === "asked") return value;
  const names = offlineParts.filter((name) => value[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}
