/** One entry of `MCP_SERVER`, as far as the grammar knows. */
export type ListedServer =
  | {
      readonly kind: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
    }
  | { readonly kind: "http"; readonly name: string; readonly url: string }
  | { readonly kind: "fault"; readonly name: string; readonly text: string };

/** A character, and whether it was written as a literal with a backslash before it. */
interface Mark {
  readonly character: string;
  readonly isLiteral: boolean;
}

/**
 * Reads `name:command:arg1,arg2;name2:https://…` (CF6). `\;` `\:` `\,` `\\` are literals; a backslash before anything else
 * is itself. A drive letter with its colon is no border. Never throws.
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

/** The index of the `:` after the command, or the end. The colon of `C:\\` or `C:/` at its beginning is none. */
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
