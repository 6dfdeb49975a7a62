import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { exposedName } from "../../src/upstream/names/assign-names.ts";
import type { ListedTool } from "../../test/e2e/harness/real-client.ts";
import type { Entry } from "./upstreams-servers.ts";

const clientInfo = { name: "verify", version: "1" };
/** Some servers offer a tool only to those who can be asked. */
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** What a server lists for an official client that is connected to it without anybody between them. */
export async function listDirectly(
  { command, args = [], env = {}, url }: Entry,
  environment: Readonly<Record<string, string>>,
  cwd: string,
): Promise<readonly ListedTool[]> {
  const open = (): StdioClientTransport | StreamableHTTPClientTransport | SSEClientTransport => {
    if (command !== undefined) {
      const all = { ...environment, ...env };
      return new StdioClientTransport({
        command,
        args: [...args],
        env: all,
        cwd,
        stderr: "ignore",
      });
    }
    const address = new URL(url ?? "");
    return address.pathname === "/sse"
      ? new SSEClientTransport(address)
      : new StreamableHTTPClientTransport(address);
  };
  const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode: "auto" } });
  client.setRequestHandler("roots/list", () => ({ roots: [] }));
  await client.connect(open());
  try {
    // A server may add tools when it has been told what its client can do.
    await Bun.sleep(500);
    return (await client.listTools({}, { cacheMode: "refresh" })).tools;
  } finally {
    await client.close();
  }
}

/** The name of a tool here. */
export function ownName(server: string, tool: string): string {
  return exposedName(server, tool, ownNameMax);
}

/** What a client that knows us as `scorpiox-code` leaves of its 64 characters. */
const ownNameMax = 44;
/** `execution` says who may run a tool as a task, which nobody between a server and its client can. */
const leftOut = ["name", "execution"];

/** One line for each tool that is listed otherwise than by its server. */
export function compareLists(
  direct: readonly ListedTool[],
  listed: readonly ListedTool[],
  server: string,
): readonly string[] {
  const byName = new Map(listed.map((tool) => [tool.name, tool]));
  return direct
    .map((tool) => withPages(withTitle(tool), server))
    .flatMap((tool) => {
      const name = ownName(server, tool.name);
      const seen = byName.get(name);
      if (seen === undefined) return [`${name} is not listed`];
      const members = new Set([...Object.keys(tool), ...Object.keys(seen)]);
      return [...members]
        .filter(
          (member) =>
            !leftOut.includes(member) &&
            !Bun.deepEquals(tool[member], seen[member]) &&
            !isFlattened(member, tool, seen),
        )
        .map(
          (member) =>
            `${name}: ${member} is ${brief(seen[member])}, and was ${brief(tool[member])}`,
        );
    });
}

/**
 * What a schema combines at its root (`allOf`, `anyOf`, `oneOf`) is listed without that, with its properties, and told in
 * words: there are clients that would not show the tool at all.
 */
function isFlattened(member: string, tool: ListedTool, seen: ListedTool): boolean {
  const direct = tool.inputSchema as Schema;
  const listed = seen.inputSchema as Schema;
  if (!combining.some((keyword) => keyword in direct)) return false;
  if (member === "description") {
    const { description: words = "" } = tool as { readonly description?: string };
    return (seen as { readonly description?: string }).description?.startsWith(words) === true;
  }
  const isPlain = !combining.some((keyword) => keyword in listed);
  return (
    member === "inputSchema" && isPlain && Bun.deepEquals(direct.properties, listed.properties)
  );
}

interface Schema {
  readonly properties?: unknown;
}
const combining = ["allOf", "anyOf", "oneOf"];

/** Pages of apps are named after their server here. */
function withPages(tool: ListedTool, server: string): ListedTool {
  if (!("_meta" in tool)) return tool;
  const meta = JSON.stringify(tool["_meta"]).replaceAll('"ui://', `"ui://${server}.scorpiox/`);
  return { ...tool, _meta: JSON.parse(meta) as unknown };
}

/** Where older servers have the title is where older clients look for it; it is in both places here. */
function withTitle(tool: ListedTool): ListedTool {
  const { title } = (tool["annotations"] ?? {}) as { readonly title?: string };
  return title === undefined ? tool : { title, ...tool };
}

function brief(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 200);
}
