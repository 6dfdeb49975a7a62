import { instructionsBytesMax } from "../../base/upstream-limits.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";
import { hasServers } from "./has-servers.ts";

const finding =
  "Tools of the user's other MCP servers: tool_search finds them, also those that are not listed; " +
  "call them by their exact name, or with tool_call.";

/**
 * Our instructions with what is known by now of other servers: our first line, then a line for each server, then the rest
 * of ours as far as there is room (DF3, TR7).
 * @param own lines of ours, the most important first
 */
export function instructionsWith(
  own: readonly string[],
  snapshot: UpstreamSnapshot | undefined,
): string {
  if (snapshot !== undefined && !hasServers(snapshot)) return fittingLines(own);
  const [first = "", ...rest] = own;
  const lines = [first, finding, ...(snapshot === undefined ? [] : linesOf(snapshot))];
  return fittingLines([...lines, ...rest]);
}

/** As many of `lines`, the most important first, as clients take in the handshake. */
export function fittingLines(lines: readonly string[]): string {
  let bytes = 0;
  const fitting: string[] = [];
  for (const line of lines) {
    const more = Buffer.byteLength(line) + 1;
    // A long line of one server does not keep shorter ones out.
    if (bytes + more > instructionsBytesMax + 1) continue;
    bytes += more;
    fitting.push(line);
  }
  return fitting.join("\n");
}

function linesOf({ servers, introductions, indexFile }: UpstreamSnapshot): readonly string[] {
  const waiting = servers.filter(({ state }) => state === "untrusted").map(({ name }) => name);
  return [
    ...(waiting.length === 0
      ? []
      : [
          `Not started before the user approves it (scorpiox-code mcp approve ${waiting[0] ?? ""}): ${waiting.join(", ")}.`,
        ]),
    ...(indexFile === undefined ? [] : [`All their tools, one in a line: ${indexFile}`]),
    ...introductions.map(({ server, line }) => `${server}: ${line}`),
  ];
}
