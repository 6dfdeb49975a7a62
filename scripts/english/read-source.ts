/** A piece of text in a source file. */
export interface SourceText {
  /** A string literal (parts joined with `+` are one), a doc comment with its stars, or lines of `//` that follow each other. */
  readonly kind: "string" | "doc comment" | "line comment";
  readonly text: string;
  /** Of its first character, from 1. */
  readonly line: number;
}

/** What a template literal has in the place of an expression. */
const hole = "{}";

/** Words after which a slash begins a regular expression. */
const beforeRegExp = new Set("return typeof case in of do else void delete throw await".split(" "));

/** Lines of `//`, up to one with something else on it. */
const lineComments = /\/\/[^\n]*(?:\n[^\S\n]*\/\/[^\n]*)*/y;

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** The string literals and comments of a TypeScript file. */
export function readSource(source: string): SourceText[] {
  return new Lexer(source).read();
}

class Lexer {
  private at = 0;
  private readonly found: SourceText[] = [];
  /** The token before: a word, a sign, or `""` for a literal. */
  private before = ";";
  private beforeThat = ";";
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  read(): SourceText[] {
    this.code(false);
    return this.found;
  }

  /** Reads tokens to the end, or to the brace that closes an expression in a template. */
  private code(isInTemplate: boolean): void {
    let depth = 0;
    while (this.at < this.source.length) {
      const char = this.source.charAt(this.at);
      if (this.source.startsWith("/*", this.at)) this.comment();
      else if (this.source.startsWith("//", this.at)) this.lineComment();
      else if (char === '"' || char === "'") this.string(char);
      else if (char === "`") this.template();
      else if (char === "/" && this.mayBeginRegExp()) this.regExp();
      else if (/\s/.test(char)) this.at += 1;
      else if (isInTemplate && char === "}" && depth === 0) return;
      else {
        if (char === "{") depth += 1;
        if (char === "}") depth -= 1;
        this.word();
      }
    }
  }

  private token(text: string): void {
    this.beforeThat = this.before;
    this.before = text;
  }

  private word(): void {
    const word = /^(?:[\w$]+|[^])/.exec(this.source.slice(this.at, this.at + 100))?.[0] ?? "";
    this.at += word.length;
    this.token(word);
  }

  private skipTo(end: string): void {
    const index = this.source.indexOf(end, this.at);
    this.at = index < 0 ? this.source.length : index + end.length;
  }

  private comment(): void {
    const from = this.at;
    this.at += 2;
    this.skipTo("*/");
    const text = this.source.slice(from, this.at);
    if (text.startsWith("/**")) {
      this.found.push({ kind: "doc comment", text, line: this.lineOf(from) });
    }
  }

  private lineComment(): void {
    const from = this.at;
    lineComments.lastIndex = from;
    const text = lineComments.exec(this.source)?.[0] ?? "//";
    this.at += text.length;
    this.found.push({ kind: "line comment", text, line: this.lineOf(from) });
  }

  private mayBeginRegExp(): boolean {
    return beforeRegExp.has(this.before) || /^[^\w$)\]}]$/.test(this.before);
  }

  private regExp(): void {
    let isInClass = false;
    for (this.at += 1; this.at < this.source.length; this.at += 1) {
      const char = this.source.charAt(this.at);
      if (char === "\\") this.at += 1;
      else if (char === "[") isInClass = true;
      else if (char === "]") isInClass = false;
      else if (char === "\n" || (char === "/" && !isInClass)) break;
    }
    this.at += 1;
    this.token("");
  }

  /** The character after a backslash, decoded well enough for prose. */
  private escaped(): string {
    const char = this.source.charAt(this.at + 1);
    this.at += 2;
    return escapes[char] ?? char;
  }

  private string(quote: string): void {
    const from = this.at;
    let text = "";
    this.at += 1;
    while (this.at < this.source.length && this.source.charAt(this.at) !== quote) {
      if (this.source.charAt(this.at) === "\\") text += this.escaped();
      else {
        text += this.source.charAt(this.at);
        this.at += 1;
      }
    }
    this.at += 1;
    this.literal(text, from);
  }

  private template(): void {
    const from = this.at;
    const [before, beforeThat] = [this.before, this.beforeThat];
    let text = "";
    this.at += 1;
    while (this.at < this.source.length && this.source.charAt(this.at) !== "`") {
      if (this.source.charAt(this.at) === "\\") text += this.escaped();
      else if (this.source.startsWith("${", this.at)) {
        this.at += 2;
        this.token("{");
        this.code(true);
        this.at += 1;
        text += hole;
      } else {
        text += this.source.charAt(this.at);
        this.at += 1;
      }
    }
    this.at += 1;
    [this.before, this.beforeThat] = [before, beforeThat];
    this.literal(text, from);
  }

  /** Keeps a literal, or adds it to the one before when only a plus is between them. */
  private literal(text: string, from: number): void {
    const last = this.found.at(-1);
    if (this.before === "+" && this.beforeThat === "" && last?.kind === "string") {
      this.found[this.found.length - 1] = { ...last, text: last.text + text };
    } else {
      this.found.push({ kind: "string", text, line: this.lineOf(from) });
    }
    this.token("");
  }

  private lineOf(index: number): number {
    return this.source.slice(0, index).split("\n").length;
  }
}
