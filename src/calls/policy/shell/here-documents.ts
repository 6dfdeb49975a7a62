import { readBackquote, readDollar } from "./expansions.ts";
import { type AwaitedDocument, type ShellText, Unreadable } from "./shell-text.ts";
import { WordBuilder } from "./word-builder.ts";

/** The bodies of the here-documents of the line that ended just before this place. @throws Unreadable */
export function readHereDocuments(text: ShellText): void {
  const documents = text.awaited;
  text.awaited = [];
  for (const document of documents) readBody(text, document);
}

function readBody(text: ShellText, document: AwaitedDocument): void {
  const lines: string[] = [];
  while (!text.isAtEnd) {
    const line = readLine(text, document);
    if (line === document.delimiter) break;
    // Shells differ in whether a substitution may end on the line of the delimiter.
    if (line.startsWith(`${document.delimiter})`)) {
      throw new Unreadable("a here-document that ends with its substitution");
    }
    lines.push(line);
  }
  const body = lines.map((line) => `${line}\n`).join("");
  if (document.isLiteral || !/[$`\\]/.test(body)) return document.take(body);
  readExpansions(text, body);
  document.take(undefined);
}

function readLine(text: ShellText, { isLiteral, stripsTabs }: AwaitedDocument): string {
  const parts: string[] = [];
  for (;;) {
    const end = text.text.indexOf("\n", text.at);
    const line = text.text.slice(text.at, end < 0 ? undefined : end);
    text.at = end < 0 ? text.text.length : end + 1;
    const isContinued = !isLiteral && end >= 0 && /(?:^|[^\\])(?:\\\\)*\\$/.test(line.slice(-64));
    if (isContinued && /\\{64}$/.test(line)) throw new Unreadable("very many backslashes");
    parts.push(isContinued ? line.slice(0, -1) : line);
    if (!isContinued) break;
  }
  const joined = parts.join("");
  return stripsTabs ? joined.replace(/^\t+/, "") : joined;
}

/** What the shell runs and fills in while it makes the body. */
function readExpansions(outer: ShellText, body: string): void {
  const text = outer.within(body);
  const ignored = new WordBuilder();
  while (!text.isAtEnd) {
    text.skip(/[^$`\\]+/y);
    if (text.char() === "\\") text.at += 2;
    else if (text.char() === "$") readDollar(text, ignored, true);
    else if (text.char() === "`") readBackquote(text, ignored, true);
  }
}
