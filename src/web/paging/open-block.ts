/** A block that a cut would break: it is closed at the end of a page and opened again on the next one. */
export interface OpenBlock {
  /** Lines that open it again, with a line end. */
  readonly opening: string;
  /** Lines that close it, with a line end before; empty when nothing has to be closed. */
  readonly closing: string;
}

interface Fence extends OpenBlock {
  readonly sign: string;
  readonly length: number;
}

/** The prefix with which a list item, quote or note begins a line. */
const prefix = String.raw`(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t]|\[\^[^\]\s]{1,40}\]:[ \t])*`;
const fenceLine = new RegExp(`^(${prefix})(\`{3,}(?=[^\`]*$)|~{3,})(.*)$`);
const closingLine = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/;
/** Without white space at its end: two places for it in a row would take quadratic time. */
const ruler = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?$/;

/** True for the line under the names of a table's columns. */
export function isRuler(line: string): boolean {
  return line.includes("|") && ruler.test(line.trimEnd());
}

/** Follows Markdown line by line and knows which block is open before the next line. */
export class BlockTracker {
  #fence: Fence | undefined;
  #table: OpenBlock | undefined;
  #before = "";

  /** The block that the next line continues; a table from its first row on. */
  get open(): OpenBlock | undefined {
    return this.#fence ?? this.#table;
  }

  /** Takes one line, without its line end. */
  read(line: string): void {
    if (this.#fence !== undefined) this.#readCode(line, this.#fence);
    else this.#readText(line);
    this.#before = line;
  }

  #readCode(line: string, fence: Fence): void {
    const end = closingLine.exec(line)?.[1] ?? "";
    if (end.startsWith(fence.sign) && end.length >= fence.length) this.#fence = undefined;
  }

  #readText(line: string): void {
    const fence = fenceLine.exec(line);
    if (fence !== null) {
      const [, before = "", signs = "", info = ""] = fence;
      const indent = continuation(before);
      this.#table = undefined;
      this.#fence = {
        opening: `${indent}${signs}${info}\n`,
        closing: `\n${indent}${signs}`,
        sign: signs.charAt(0),
        length: signs.length,
      };
      return;
    }
    if (this.#table === undefined && isRuler(line) && this.#before.includes("|")) {
      const [, own = "", head = ""] = new RegExp(`^(${prefix})(.*)$`).exec(this.#before) ?? [];
      this.#table = { opening: `${continuation(own)}${head}\n${line}\n`, closing: "" };
    } else if (!line.includes("|")) this.#table = undefined;
  }
}

/** The prefix of the lines after a line with this prefix: signs of lists become spaces, those of quotes stay. */
function continuation(before: string): string {
  return before.replace(/\[\^[^\]]*\]:[ \t]/g, "    ").replace(/[^\s>]/g, " ");
}
