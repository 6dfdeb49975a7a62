/** An item of an upstream server that clients call by a name. */
export interface Original {
  readonly server: string;
  /** Its name on that server. */
  readonly tool: string;
}

/** An original with the name that clients see. */
interface Assigned<Item extends Original> {
  readonly item: Item;
  readonly name: string;
}

/**
 * The names of all tools, or of all prompts, of all servers. Each is `exposedName`, unless two originals share it: then
 * both get a longer code. Left out are repeats, since a server that lists a tool twice leaves open which one a call
 * means, and originals for which no name would be unique; no honest server has these. Their order does not matter.
 * @param max characters of a name
 * @returns in the order of the input
 */
export function assignNames<Item extends Original>(
  items: readonly Item[],
  max: number,
): readonly Assigned<Item>[] {
  const unique = withoutRepeats(items);
  let names = unique.map(({ server, tool }) => exposedName(server, tool, max));
  for (const length of codeLengths.slice(1)) {
    const shared = sharedNames(names);
    if (shared.size === 0) break;
    names = names.map((name, index) => {
      const item = unique[index];
      return item !== undefined && shared.has(name)
        ? codedName(item.server, item.tool, max, length)
        : name;
    });
  }
  const shared = sharedNames(names);
  return unique.flatMap((item, index) => {
    const name = names[index] ?? "";
    return shared.has(name) ? [] : [{ item, name }];
  });
}

function withoutRepeats<Item extends Original>(items: readonly Item[]): readonly Item[] {
  const seen = new Set<string>();
  return items.filter(({ server, tool }) => {
    const key = JSON.stringify([server, tool]);
    return !seen.has(key) && seen.add(key);
  });
}

/** Orders by server and name on it. Compares UTF-16 code units: the same order on every machine. */
export function byServerAndTool(a: Original, b: Original): number {
  return compare(a.server, b.server) || compare(a.tool, b.tool);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function sharedNames(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const name of names) (seen.has(name) ? shared : seen).add(name);
  return shared;
}

/**
 * Titles for display: those that several tools share are followed by the server's name (NM8).
 * @returns in the order of `items`
 */
export function distinctTitles(
  items: readonly { readonly server: string; readonly title?: string | undefined }[],
): readonly (string | undefined)[] {
  const counts = new Map<string, number>();
  for (const { title } of items) {
    if (title !== undefined) counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return items.map(({ server, title }) => {
    return title !== undefined && (counts.get(title) ?? 0) > 1 ? `${title} (${server})` : title;
  });
}

/** The names that models see for tools and prompts of upstream servers (NM1–NM3). */

/** Characters of the code at the end of a cut name, and the longer forms for when two names are the same. */
export const codeLengths = [6, 10, 16] as const;

/** Characters of the server's name in a name that is cut. */
const serverCharsMax = 16;
const start = "mcp__";
const separator = "__";

/**
 * `mcp__<server>__<tool>` when that needs no change and has at most `max` characters, else a cut form with a code at
 * its end. Depends only on its arguments. @param max characters; below 24, people cannot tell cut names apart
 */
export function exposedName(server: string, tool: string, max: number): string {
  const plain = plainName(server, tool);
  return plain !== undefined && plain.length <= max
    ? plain
    : codedName(server, tool, max, codeLengths[0]);
}

/** The form with a code of `codeLength` characters, which distinguishes originals that would look the same. */
export function codedName(server: string, tool: string, max: number, codeLength: number): string {
  const rest = max - start.length - separator.length - 1 - codeLength;
  const serverChars = Math.max(1, Math.min(serverCharsMax, rest));
  const serverPart = shortServer(server, serverChars);
  const toolChars = Math.max(0, rest - serverPart.length);
  const toolPart = cleanPart(tool)
    .slice(0, toolChars)
    .replace(/[_-]+$/, "");
  return `${start}${serverPart}${separator}${toolPart}_${codeOf(server, tool, codeLength)}`;
}

/** The part of the server's name that a cut name contains. */
export function shortServer(server: string, chars: number = serverCharsMax): string {
  return cleanServer(server).slice(0, chars).replace(/_+$/, "") || "s";
}

/** The name with disallowed characters replaced, however long it is. */
export function uncutName(server: string, tool: string): string {
  return `${start}${cleanServer(server)}${separator}${cleanPart(tool)}`;
}

/** The name as its server writes it. */
export function originalName(server: string, tool: string): string {
  return `${start}${server}${separator}${tool}`;
}

/** Replaces every character that a name must not contain by an underscore. */
export function cleanPart(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/gu, "_");
}

/** As `cleanPart`, without underscores that look like the border between server and tool. */
export function cleanServer(server: string): string {
  return cleanPart(server).replaceAll(/_{2,}/g, "_").replace(/_$/, "");
}

/** Undefined when something has to be replaced. */
function plainName(server: string, tool: string): string | undefined {
  if (server === "" || tool === "") return undefined;
  const isPlain = cleanServer(server) === server && cleanPart(tool) === tool;
  return isPlain ? originalName(server, tool) : undefined;
}

/** Whether the tool could have this name under some character budget; files of a project may claim any name. */
export function mayBeNameOf(name: string, server: string, tool: string): boolean {
  if (name === plainName(server, tool)) return true;
  const isCoded = codeLengths.some((length) => name.endsWith(`_${codeOf(server, tool, length)}`));
  return isCoded && name.startsWith(start) && cleanPart(name) === name;
}

const base32 = "abcdefghijklmnopqrstuvwxyz234567";

/** Lower-case base32 of SHA-256; the zero between the two distinguishes `a` + `bc` from `ab` + `c`. */
function codeOf(server: string, tool: string, length: number): string {
  const digest = new Bun.CryptoHasher("sha256").update(`${server}\0${tool}`).digest();
  let code = "";
  let bits = 0;
  let kept = 0;
  for (const byte of digest) {
    bits = (bits << 8) | byte;
    for (kept += 8; kept >= 5; kept -= 5) code += base32[(bits >> (kept - 5)) & 31] ?? "";
    bits &= 31;
    if (code.length >= length) break;
  }
  return code.slice(0, length);
}
