import type { ClientContext } from "../calls/call.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import { NameTable } from "../upstream/catalogue/name-table.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import { type CommandIo, orInterrupted } from "./command-io.ts";
import type { OpenTools } from "./command.ts";
import { serverNamed } from "./configured-servers.ts";
import type { StartUp } from "./start-up.ts";

/** Which tools are wanted. */
export interface ToolFilter {
  /** The tools of one MCP server, whether they are listed or found by `tool_search`. */
  readonly server?: string | undefined;
  /** True: also the tools that clients find by `tool_search` only. */
  readonly isAll: boolean;
}

interface FoundTools {
  readonly tools: readonly ToolListing[];
  /** How many tools of the requested server are in no list. */
  readonly hiddenCount: number;
}

/**
 * The tools that a client is offered: in its list, or with `isAll` or of one server in any way.
 * @throws {AppError} `not_found` for an unknown server
 */
export async function listTools(
  open: OpenTools,
  { server, isAll }: ToolFilter,
  start: StartUp,
  io: CommandIo,
): Promise<FoundTools> {
  if (server === undefined && !isAll) {
    return { tools: await listedTools(open, start, io), hiddenCount: 0 };
  }
  if (server !== undefined) {
    serverNamed(loadUpstreamConfig(configPartsOf(start, io.env)), server);
  }
  // First, since it waits for servers that start: what is in the list is known then.
  const asking = open.upstreamTools({ server, waits: true });
  const foreign = await orInterrupted(asking, io.interrupted);
  const listed = await listedTools(open, start, io);
  const listedNames = new Set(listed.map(({ name }) => name));
  const listings = foreign.map(({ listing }) => listing);
  const hidden = listings.filter(({ name }) => !listedNames.has(name));
  if (server === undefined) return { tools: [...listed, ...hidden], hiddenCount: 0 };
  return { tools: listings, hiddenCount: isAll ? 0 : hidden.length };
}

/** The definition of a tool by its name here or an alias of it; undefined when there is none, or several. */
export async function findTool(
  name: string,
  open: OpenTools,
  start: StartUp,
  io: CommandIo,
): Promise<ToolListing | undefined> {
  const own = open.tools.list().find((listing) => listing.name === name);
  if (own !== undefined || open.tools.takesOtherNames !== true) return own;
  const listed = await listedTools(open, start, io);
  const shown = listed.find((listing) => listing.name === name);
  if (shown !== undefined) return shown;
  // A server that says nothing delays only those who want what nobody else has.
  for (const waits of [false, true]) {
    const foreign = await orInterrupted(open.upstreamTools({ waits }), io.interrupted);
    const meant = nameMeantBy(name, open, start);
    const found = foreign.find(({ listing }) => listing.name === meant);
    if (found !== undefined) return found.listing;
  }
  return undefined;
}

/** The name in the place of an alias. */
function nameMeantBy(name: string, open: OpenTools, start: StartUp): string {
  const tools = open.upstreams.snapshot?.tools ?? [];
  const reserved = open.tools.list().map((listing) => listing.name);
  const ownKey = start.config.settings.mcp.serverName;
  const resolution = new NameTable({ tools, blocked: [], reserved, ownKey }).resolve(name);
  return resolution.kind === "found" ? resolution.entry.name : name;
}

async function listedTools(
  { tools }: OpenTools,
  start: StartUp,
  io: CommandIo,
): Promise<readonly ToolListing[]> {
  return (await tools.listFor?.(commandLineClient(start, io.cwd))) ?? tools.list();
}

/** The client identity for calls of the command line. @param cwd where the command was started */
export function commandLineClient(start: StartUp, cwd: string): ClientContext {
  const { cwdFlag, workspaceName } = start;
  return {
    id: "command-line",
    // Nobody is there to read on later: a call runs to its end.
    limits: { ...start.clients.limitsFor(undefined), answerMs: 0 },
    workspaceDir: () => Promise.resolve(cwdFlag ?? cwd),
    ...(workspaceName === undefined ? {} : { workspaceName }),
  };
}
