import type { ToolRule } from "./server-entry.ts";

/** One entry of `MCP_SERVER`, read by the grammar alone. */
type ListedServer =
  | {
      readonly kind: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
    }
  | { readonly kind: "http"; readonly name: string; readonly url: string }
  | { readonly kind: "fault"; readonly name: string; readonly text: string };

/** A character, and whether a backslash before it makes it a literal. */
interface Mark {
  readonly character: string;
  readonly isLiteral: boolean;
}

/**
 * Reads `name:command:arg1,arg2;name2:https://…` (CF6). `\;` `\:` `\,` `\\` are literals; a backslash before any other
 * character is a plain backslash. The colon of a drive letter is not a separator. Never throws.
 */
export function parseServerList(text: string): readonly ListedServer[] {
  return split(marksOf(text), ";")
    .filter((entry) => textOf(entry).trim() !== "")
    .map(parseEntry);
}

function marksOf(text: string): readonly Mark[] {
  const marks: Mark[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    const next = text[index + 1] ?? "";
    const isEscape = character === "\\" && next !== "" && ";:,\\".includes(next);
    if (isEscape) index++;
    marks.push({ character: isEscape ? next : character, isLiteral: isEscape });
  }
  return marks;
}

function parseEntry(entry: readonly Mark[]): ListedServer {
  const nameEnd = entry.findIndex((mark) => isPlain(mark, ":"));
  const name = textOf(nameEnd === -1 ? entry : entry.slice(0, nameEnd)).trim();
  if (nameEnd === -1) {
    return { kind: "fault", name, text: "has no command; write name:command:arg1,arg2" };
  }
  const rest = entry.slice(nameEnd + 1);
  const restText = textOf(rest).trim();
  if (/^https?:\/\//i.test(restText)) return { kind: "http", name, url: restText };
  const commandEnd = commandBorder(rest);
  const command = textOf(rest.slice(0, commandEnd)).trim();
  if (command === "") return { kind: "fault", name, text: "has an empty command" };
  const args = rest.slice(commandEnd + 1);
  return { kind: "stdio", name, command, args: argsOf(args) };
}

function argsOf(marks: readonly Mark[]): readonly string[] {
  if (textOf(marks).trim() === "") return [];
  return split(marks, ",").map((arg) => textOf(arg).trim());
}

/**
 * The index of the `:` after the command, or the end. The colon of `C:\\` or `C:/` at its beginning is not a separator.
 */
function commandBorder(marks: readonly Mark[]): number {
  const isDriveColon = (index: number): boolean => {
    const after = marks[index + 1]?.character;
    const before = textOf(marks.slice(0, index)).trimStart();
    return (after === "\\" || after === "/") && /^[A-Za-z]$/.test(before);
  };
  const border = marks.findIndex((mark, index) => isPlain(mark, ":") && !isDriveColon(index));
  return border === -1 ? marks.length : border;
}

function split(marks: readonly Mark[], border: string): readonly (readonly Mark[])[] {
  const parts: Mark[][] = [[]];
  for (const mark of marks) {
    if (isPlain(mark, border)) parts.push([]);
    else parts.at(-1)?.push(mark);
  }
  return parts;
}

function isPlain(mark: Mark | undefined, character: string): boolean {
  return mark !== undefined && !mark.isLiteral && mark.character === character;
}

function textOf(marks: readonly Mark[]): string {
  return marks.map(({ character }) => character).join("");
}

/**
 * Reads `server:glob,glob;server2:glob` of `MCP_ALLOW` and `MCP_DENY`. A part without `:` matches whole names. Never
 * throws.
 */
export function parseToolRules(
  text: string,
  effect: ToolRule["effect"],
  trust: ToolRule["trust"],
): readonly ToolRule[] {
  return splitOutside(text, ";").flatMap((part) => {
    const colon = part.indexOf(":");
    const server = colon === -1 ? undefined : part.slice(0, colon).trim();
    return splitOutside(part.slice(colon + 1), ",").map((glob) => ({
      effect,
      ...(server !== undefined && { server }),
      glob,
      trust,
    }));
  });
}

/**
 * The parts between borders that are not in `{a,b}` or `[…]`, trimmed, without empty ones. A bracket that is never
 * closed does not group: it must not swallow the rules after it.
 */
function splitOutside(text: string, border: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if ("{[".includes(character)) depth++;
    if ("}]".includes(character)) depth = Math.max(depth - 1, 0);
    if (character === border && depth === 0) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  return (depth === 0 ? parts : text.split(border))
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
