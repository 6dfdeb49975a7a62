import { cutEnd } from "../../base/cut-text.ts";
import { instructionsBytesMax } from "../../base/upstream-limits.ts";
import type { ToldServers } from "../../upstream/cache/told-servers.ts";
import type { UpstreamSnapshot } from "../../upstream/snapshot.ts";

const finding =
  "Tools of the user's MCP servers: tool_search finds them, also those that are not listed; " +
  "call them by their exact name, or with tool_call.";

/** Characters for the names that wait for approval: the rest is given as a number. */
const waitingCharsMax = 300;
/** Characters of one server's introduction, where not all fit in full. */
const introductionCharsMin = 60;

/**
 * The own instructions, joined with the facts known by now of upstream servers: the first own line, then how their tools are found, which wait for
 * approval, where the index is, the purpose of each server, and the rest of the own lines as far as there is room (DF3, TR7). The last own
 * line, which says that results are data, is always there.
 * @param own `lines`: the most important first; `notice`: a notice to the user about this start
 * @param told undefined where there are no upstream servers
 */
export function instructionsWith(
  own: { readonly lines: readonly string[]; readonly notice?: string | undefined },
  told?: ToldServers,
): string {
  const [first = "", ...others] = own.lines;
  const rest = others.slice(0, -1);
  const last = others.slice(-1);
  const head = [first, ...(own.notice === undefined ? [] : [own.notice]), ...headLines(told)];
  const room = instructionsBytesMax + 1 - bytesOf([...head, ...last]);
  const introductions = introductionLines(told?.introductions ?? [], room);
  let left = room - bytesOf(introductions);
  const fitting = rest.filter((line) => {
    const bytes = bytesOf([line]);
    // A long line does not keep shorter ones out.
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
  return [...head, ...introductions, ...fitting, ...last].join("\n");
}

function headLines(told: ToldServers | undefined): readonly string[] {
  return told === undefined
    ? []
    : [finding, ...waitingLine(told.waiting), ...indexLine(told.indexFile)];
}

/** With the line break behind each. */
function bytesOf(lines: readonly string[]): number {
  return lines.reduce((bytes, line) => bytes + Buffer.byteLength(line) + 1, 0);
}

/** True whether or not the user has approved them meanwhile. */
function waitingLine(waiting: readonly string[]): readonly string[] {
  const [first] = waiting;
  if (first === undefined) return [];
  const shown = fittingNames(waiting, waitingCharsMax);
  const more = waiting.length - shown.length;
  const names = more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
  return [
    `Started only once the user has approved them (scorpiox-code mcp approve ${first}): ${names}.`,
  ];
}

function indexLine(indexFile: string | undefined): readonly string[] {
  // A path that is longer than all we may say helps nobody.
  if (indexFile === undefined || indexFile.length > 500) return [];
  return [`All their tools, one in a line: ${indexFile}`];
}

/** Each server has an equal share of the room; a server that does not fit even so is only named, and the rest is given as a number. */
function introductionLines(
  introductions: ToldServers["introductions"],
  room: number,
): readonly string[] {
  const whole = introductions.map(({ server, line }) => `${server}: ${line}`);
  if (bytesOf(whole) <= room) return whole;
  const share = Math.floor(room / introductions.length) - 1;
  if (share >= introductionCharsMin) return whole.map((line) => cutQuoted(line, share));
  const names = introductions.map(({ server }) => server);
  const shown = fittingNames(names, Math.max(0, room - 80));
  const more = names.length - shown.length;
  return [`Servers: ${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}.`];
}

function fittingNames(names: readonly string[], charsMax: number): readonly string[] {
  let chars = 0;
  return names.filter((name) => (chars += name.length + 2) <= charsMax);
}

/** The quotes that say whose words they are stay closed. */
function cutQuoted(line: string, bytesMax: number): string {
  if (Buffer.byteLength(line) <= bytesMax) return line;
  let chars = bytesMax;
  let cut = line;
  while (Buffer.byteLength(cut) > bytesMax) {
    cut = `${cutEnd(line.slice(0, -1), chars - 1)}"`;
    chars -= Math.max(1, Math.ceil((Buffer.byteLength(cut) - bytesMax) / 4));
  }
  return cut;
}

/** Upstream tools can be searched for as long as there is an upstream server that is not switched off (DF2a). */
export function hasServers({
  servers,
}: {
  readonly servers: readonly Pick<UpstreamSnapshot["servers"][number], "state">[];
}): boolean {
  return servers.some(({ state }) => state !== "disabled");
}
