import { BlockTracker, isRuler, type OpenBlock } from "./open-block.ts";

/** The format of the text: it decides where a cut does no harm. */
export type PagedSyntax = "markdown" | "html" | "plain";

export interface PageRoom {
  /** UTF-16 units. */
  readonly charsMax: number;
  /** Bytes in UTF-8. */
  readonly bytesMax: number;
}

/** One page of a text. Joined in order, pages are the text, apart from the lines that close and reopen blocks. */
export interface CutPage {
  /** UTF-16 units from the start of the whole text. */
  readonly start: number;
  readonly end: number;
  /** The shown text: blocks that were cut are opened at its start and closed at its end. */
  readonly content: string;
}

/** A border between blocks is taken when the page is at least this full by then. */
const fullEnough = 0.5;
/** The part of a page that may repeat content of an earlier page: wide tables have long headers. */
const repeatedPart = 0.5;

/**
 * The page that begins at `start`. Ends at a border between blocks where one is near, else between lines; in a line
 * only when that line alone is longer than a page. Never between the halves of a character.
 */
export function cutPage(text: string, start: number, room: PageRoom, syntax: PagedSyntax): CutPage {
  const from = wholeCharacter(text, start);
  const open = syntax === "markdown" ? openBlockAt(text, from, room) : undefined;
  const opening = open?.opening ?? "";
  const cutter = new Cutter(text, from, shrink(room, opening), syntax);
  const { end, closing } = cutter.cut();
  return { start: from, end, content: `${opening}${text.slice(from, end)}${closing}` };
}

interface Cut {
  readonly end: number;
  readonly closing: string;
}

class Cutter {
  readonly #text: string;
  readonly #from: number;
  readonly #room: PageRoom;
  readonly #syntax: PagedSyntax;
  readonly #tracker = new BlockTracker();
  readonly #isInLine: boolean;
  #used: PageRoom = { charsMax: 0, bytesMax: 0 };
  #block: Cut | undefined;
  #line: Cut | undefined;

  constructor(text: string, from: number, room: PageRoom, syntax: PagedSyntax) {
    this.#text = text;
    this.#from = from;
    this.#room = room;
    this.#syntax = syntax;
    this.#isInLine = from > 0 && text[from - 1] !== "\n";
    if (syntax === "markdown") trackTo(this.#tracker, text, from);
  }

  cut(): Cut {
    let position = this.#from;
    while (position < this.#text.length) {
      const lineEnd = endOfLine(this.#text, position);
      const line = this.#text.slice(position, lineEnd);
      if (!this.#take(line)) return this.#best(position, line);
      position = lineEnd;
      this.#note(position);
    }
    return { end: position, closing: "" };
  }

  /** True when the line fits, too. */
  #take(line: string): boolean {
    const charsMax = this.#used.charsMax + line.length;
    const bytesMax = this.#used.bytesMax + Buffer.byteLength(line);
    if (charsMax > this.#room.charsMax || bytesMax > this.#room.bytesMax) return false;
    this.#used = { charsMax, bytesMax };
    // The rest of a line that the page before began says nothing about blocks.
    const isRest = this.#used.charsMax === line.length && this.#isInLine;
    if (this.#syntax === "markdown" && !isRest) this.#tracker.read(withoutLineEnd(line));
    return true;
  }

  /** Remembers the border before `position`, when the closing lines for it still fit. */
  #note(position: number): void {
    const open = affordable(this.#tracker.open, this.#room);
    if (this.#tracker.open === undefined && isTableHead(this.#text, position)) return;
    const closing = open === undefined ? "" : closingAt(this.#text, position, open);
    if (this.#used.charsMax + closing.length > this.#room.charsMax) return;
    if (this.#used.bytesMax + Buffer.byteLength(closing) > this.#room.bytesMax) return;
    const cut = { end: position, closing };
    this.#line = cut;
    if (this.#tracker.open === undefined && isBlockBorder(this.#text, position, this.#syntax))
      this.#block = cut;
  }

  /** `line` begins at `position` and is the first that does not fit. */
  #best(position: number, line: string): Cut {
    const isFull =
      this.#block !== undefined && this.#block.end - this.#from >= this.#room.charsMax * fullEnough;
    if (isFull && this.#block !== undefined) return this.#block;
    // It will be cut anyway: then this page may as well have its part of it.
    if (!this.#isHalfFull() && !fits(line, this.#room)) return this.#inLine(position);
    const fullLine =
      this.#line !== undefined && this.#line.end - this.#from >= this.#used.charsMax * fullEnough;
    const found = fullLine ? this.#line : (this.#block ?? this.#line);
    return found !== undefined && found.end > this.#from ? found : this.#inLine(position);
  }

  #isHalfFull(): boolean {
    const { charsMax, bytesMax } = this.#used;
    return (
      charsMax >= this.#room.charsMax * fullEnough || bytesMax >= this.#room.bytesMax * fullEnough
    );
  }

  /** A single line is longer than the page: it is cut between words, or where it must be. */
  #inLine(position: number): Cut {
    const closing = affordable(this.#tracker.open, this.#room)?.closing ?? "";
    const room = shrink(this.#room, closing);
    const charsLeft = Math.max(1, room.charsMax - (position - this.#from));
    let end = Math.min(position + charsLeft, this.#text.length);
    while (
      end > position + 1 &&
      Buffer.byteLength(this.#text.slice(this.#from, end)) > room.bytesMax
    ) {
      end = position + Math.floor((end - position) / 2);
    }
    const border = lastBorder(this.#text.slice(position, end), this.#syntax);
    const cut = wholeCharacter(this.#text, border > (end - position) / 2 ? position + border : end);
    return { end: cut > this.#from ? cut : Math.min(cut + 2, this.#text.length), closing };
  }
}

function fits(line: string, { charsMax, bytesMax }: PageRoom): boolean {
  return line.length <= charsMax && Buffer.byteLength(line) <= bytesMax;
}

function openBlockAt(text: string, position: number, room: PageRoom): OpenBlock | undefined {
  const tracker = new BlockTracker();
  trackTo(tracker, text, position);
  return affordable(tracker.open, room);
}

/** Undefined for a block whose lines for closing and opening would leave little room for anything else. */
function affordable(open: OpenBlock | undefined, { charsMax }: PageRoom): OpenBlock | undefined {
  if (open === undefined) return undefined;
  return open.opening.length + open.closing.length <= charsMax * repeatedPart ? open : undefined;
}

/** Reads all lines that end before `position`. */
function trackTo(tracker: BlockTracker, text: string, position: number): void {
  for (let from = 0; from < position;) {
    const end = endOfLine(text, from);
    if (end > position) return;
    tracker.read(withoutLineEnd(text.slice(from, end)));
    from = end;
  }
}

/** The page ends with a line end: the closing line needs none before it. */
function closingAt(text: string, position: number, open: OpenBlock): string {
  return text[position - 1] === "\n" ? open.closing.replace(/^\n/, "") : open.closing;
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  return newline === -1 ? text.length : newline + 1;
}

function withoutLineEnd(line: string): string {
  return line.endsWith("\n") ? line.slice(0, -1) : line;
}

/** True where an empty line is over and something begins that belongs to nothing before it. */
function isBlockBorder(text: string, position: number, syntax: PagedSyntax): boolean {
  if (syntax === "html") return text[position - 1] === "\n";
  return text.startsWith("\n\n", position - 2) && !/\s/.test(text.charAt(position));
}

/** True between the names of the columns and the line under them. */
function isTableHead(text: string, position: number): boolean {
  const next = text.slice(position, endOfLine(text, position));
  return next.includes("|") && isRuler(withoutLineEnd(next));
}

function lastBorder(line: string, syntax: PagedSyntax): number {
  const end = syntax === "html" ? line.lastIndexOf(">") + 1 : 0;
  return end > line.length / 2 ? end : line.lastIndexOf(" ") + 1;
}

/** `position`, or the one before it when that would part a surrogate pair. */
function wholeCharacter(text: string, position: number): number {
  const before = text.charCodeAt(position - 1);
  const after = text.charCodeAt(position);
  const isParted = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
  return isParted ? position - 1 : position;
}

function shrink(room: PageRoom, by: string): PageRoom {
  return { charsMax: room.charsMax - by.length, bytesMax: room.bytesMax - Buffer.byteLength(by) };
}
