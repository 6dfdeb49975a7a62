import { searchPatternDepthMax, searchPatternRepeatMax } from "../../../base/upstream-limits.ts";
import {
  anyOf,
  type CharSet,
  classEscapes,
  inEitherCase,
  PatternError,
  type PatternNode,
  rangeSet,
  unitEscapes,
} from "./pattern-node.ts";

/** Reads the source of a pattern, one UTF-16 unit at a time. */
class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  isAt(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  /** Skips `text` when it is next. */
  take(text: string): boolean {
    if (!this.isAt(text)) return false;
    this.#at += text.length;
    return true;
  }

  /** Skips the match of a sticky expression. */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }

  /** @throws PatternError at the end */
  next(): string {
    const unit = this.#source[this.#at++];
    if (unit === undefined) throw new PatternError("ends too early");
    return unit;
  }
}

/**
 * Reads a class after its `[`, including the `]`. @param fold makes the class case-insensitive when wanted, before a
 * negation
 * @throws PatternError
 */
function readClass(reader: PatternReader, fold: (set: CharSet) => CharSet): CharSet {
  const isNegated = reader.take("^");
  const sets: CharSet[] = [];
  while (!reader.take("]")) {
    const from = readMember(reader);
    if (typeof from !== "string") {
      sets.push(from);
      continue;
    }
    const first = from.charCodeAt(0);
    if (!reader.isAt("-") || reader.isAt("-]")) {
      sets.push(rangeSet(first, first));
      continue;
    }
    reader.take("-");
    const to = readMember(reader);
    const last = typeof to === "string" ? to.charCodeAt(0) : -1;
    if (last < first) throw new PatternError(`has a range in [ ] that ends before it begins`);
    sets.push(rangeSet(first, last));
  }
  return anyOf([fold(anyOf(sets, false))], isNegated);
}

/** Reads the rest of an escape: a class, or one character. @throws PatternError */
function readEscape(reader: PatternReader): CharSet | string {
  const code = reader.takeMatch(/u([\da-f]{4})|x([\da-f]{2})/iy);
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code[1] ?? code[2] ?? "", 16));
  const letter = reader.next();
  if (/[1-9k]/.test(letter)) throw new PatternError("refers back, which is not supported");
  const known = classEscapes.get(letter) ?? unitEscapes.get(letter);
  if (known !== undefined) return known;
  if (/[a-z]/i.test(letter)) throw new PatternError(`has \\${letter}, which is not supported`);
  return letter;
}

function readMember(reader: PatternReader): CharSet | string {
  if (reader.isAtEnd) throw new PatternError("has a `[` that is not closed");
  if (!reader.take("\\")) return reader.next();
  return reader.take("b") ? "\b" : readEscape(reader);
}

/**
 * Parses the subset of regular expressions that can be matched in one pass over a text, so without back references and
 * look-around.
 * @throws PatternError
 */
export function parsePattern(source: string, flags: string): PatternNode {
  const parser = new PatternParser(new PatternReader(source), flags);
  return parser.parse();
}

const quantifiers: ReadonlyMap<string, readonly [min: number, max: number]> = new Map([
  ["*", [0, Infinity]],
  ["+", [1, Infinity]],
  ["?", [0, 1]],
]);

class PatternParser {
  readonly #reader: PatternReader;
  readonly #fold: (set: CharSet) => CharSet;
  readonly #any: CharSet;
  #depth = 0;

  constructor(reader: PatternReader, flags: string) {
    this.#reader = reader;
    this.#fold = flags.includes("i") ? inEitherCase : (set) => set;
    this.#any = flags.includes("s")
      ? () => true
      : anyOf([rangeSet(10, 10), rangeSet(13, 13)], true);
  }

  parse(): PatternNode {
    const node = this.#choice();
    if (!this.#reader.isAtEnd) throw new PatternError("has a `)` too many");
    return node;
  }

  #choice(): PatternNode {
    if (++this.#depth > searchPatternDepthMax) throw new PatternError("is nested too deep");
    const nodes = [this.#sequence()];
    while (this.#reader.take("|")) nodes.push(this.#sequence());
    this.#depth--;
    return nodes.length === 1 ? (nodes[0] ?? emptyNode) : { kind: "choice", nodes };
  }

  #sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (!this.#reader.isAtEnd && !this.#reader.isAt("|") && !this.#reader.isAt(")")) {
      nodes.push(this.#quantified(this.#atom()));
    }
    return { kind: "sequence", nodes };
  }

  #quantified(node: PatternNode): PatternNode {
    const bounds = this.#bounds();
    if (bounds === undefined) return node;
    const [min, max] = bounds;
    // Greedy and lazy repetitions match the same texts.
    this.#reader.take("?");
    if (this.#bounds() !== undefined) throw new PatternError("repeats a repetition");
    return { kind: "repeat", node, min, max };
  }

  #bounds(): readonly [min: number, max: number] | undefined {
    for (const [mark, bounds] of quantifiers) if (this.#reader.take(mark)) return bounds;
    const counted = this.#reader.takeMatch(/\{(\d+)(,(\d*))?\}/y);
    if (counted === undefined) return undefined;
    const [, from, comma, to] = counted;
    const min = Number(from);
    const max = comma === undefined ? min : to === "" ? Infinity : Number(to);
    const isOver = min > searchPatternRepeatMax || (max > searchPatternRepeatMax && max < Infinity);
    if (isOver) throw new PatternError(`repeats more than ${searchPatternRepeatMax} times`);
    if (min > max) throw new PatternError(`has the bounds ${counted[0]} the wrong way round`);
    return [min, max];
  }

  #atom(): PatternNode {
    const reader = this.#reader;
    if (reader.take("(")) return this.#group();
    if (reader.take("[")) return { kind: "set", set: readClass(reader, this.#fold) };
    if (reader.take(".")) return { kind: "set", set: this.#any };
    if (reader.take("^")) return { kind: "assertion", assertion: "start" };
    if (reader.take("$")) return { kind: "assertion", assertion: "end" };
    if (reader.take("\\")) return this.#escaped();
    const character = reader.next();
    if (quantifiers.has(character)) throw new PatternError(`has a \`${character}\` after nothing`);
    return this.#unitNode(character);
  }

  #group(): PatternNode {
    if (this.#reader.takeMatch(/\?<?[=!]/y) !== undefined) {
      throw new PatternError("looks ahead or behind, which is not supported");
    }
    this.#reader.takeMatch(/\?(?::|<\w+>)/y);
    const node = this.#choice();
    if (!this.#reader.take(")")) throw new PatternError("has a `(` that is not closed");
    return node;
  }

  #escaped(): PatternNode {
    if (this.#reader.take("b")) return { kind: "assertion", assertion: "border" };
    if (this.#reader.take("B")) return { kind: "assertion", assertion: "no-border" };
    const escape = readEscape(this.#reader);
    return typeof escape === "string" ? this.#unitNode(escape) : { kind: "set", set: escape };
  }

  #unitNode(character: string): PatternNode {
    const unit = character.charCodeAt(0);
    return { kind: "set", set: this.#fold(rangeSet(unit, unit)) };
  }
}

const emptyNode: PatternNode = { kind: "sequence", nodes: [] };
