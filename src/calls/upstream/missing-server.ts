import { nameStarts } from "../../upstream/catalogue/name-table.ts";
import { installingText } from "../../upstream/install/installing-text.ts";
import { isComing, type ServerInfo, type ServerState } from "../../upstream/server-state.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";

/** States in which all tools of a server are known. */
const known: ReadonlySet<ServerState> = new Set(["ready", "cached"]);

/** A server whose tools are not there. */
export interface MissingServer {
  /** A request for its tools may succeed soon. */
  readonly isComing: boolean;
  /** A sentence or two: the state, and when to try again. */
  readonly text: string;
}

/** When most servers that are starting have started. */
const startsAgainS = 3;

/** For any name, while nobody knows yet which servers there are. */
export const unheardServers: MissingServer = {
  isComing: true,
  text: `The MCP servers are being looked up. Try again in ${startsAgainS} s.`,
};

/**
 * The server that an unknown name refers to, by any of the forms that names of tools have (NM5), if that exists and its
 * tools are not.
 * @param ownPrefix the prefix that clients put before all names of scorpiox-code
 */
export function missingServer(
  name: string,
  { servers, rights }: UpstreamSnapshot,
  ownPrefix: string,
): MissingServer | undefined {
  const bare = name.startsWith(ownPrefix) ? name.slice(ownPrefix.length) : name;
  const prefixes = new Map(rights.map((each) => [each.name, each.prefix]));
  const found = servers
    .filter(({ state }) => !known.has(state))
    .flatMap((server) =>
      nameStarts(server.name, prefixes.get(server.name))
        .filter((start) => [name, bare].some((each) => each.startsWith(start)))
        .map((start) => ({ server, length: start.length })),
    )
    .sort((one, other) => other.length - one.length)[0];
  if (found === undefined) return undefined;
  const { server } = found;
  const isSoon = isComing(server.state);
  return { isComing: isSoon, text: isSoon ? comingText(server) : stateText(server) };
}

function stateText({ name, state, reason }: ServerInfo): string {
  return `The server ${name} is ${state}.${reason === null ? "" : ` ${reason}`}`;
}

function comingText({ name, reason, installing }: ServerInfo): string {
  if (installing !== undefined) return `The MCP server ${name}: ${installingText(installing)}`;
  const why = reason === null ? "" : ` ${reason}`;
  return `The MCP server ${name} is starting, and its tools are not known yet.${why} Try again in ${startsAgainS} s.`;
}
