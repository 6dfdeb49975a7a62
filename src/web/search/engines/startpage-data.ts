import type { RawResult } from "../engine.ts";
import { type EnginePage, plainText, webUrl } from "../pages/page.ts";
import { listAt, recordOf, textAt } from "../pages/read-json.ts";

/** Where the page's own script gets its results from; confirmed by the captures of 2026-04. */
const dataStart = /React\.createElement\(\s*UIStartpage\.AppSerpWeb\s*,\s*(?=\{)/g;
/** The one kind of results that are neither ads nor answers. */
const resultType = "web-google";
const interstitialStart = /\bvar\s+data\s*=\s*(?=\{)/g;

/** Places where data may begin that are tried: a page has one or two. */
const startsMax = 20;

/** The results in the page's data; undefined when it has none, or other data than known. */
export async function readStartpageData(page: EnginePage): Promise<RawResult[] | undefined> {
  const mainline = listAt(
    literalAfter(page, dataStart),
    "render",
    "presenter",
    "regions",
    "mainline",
  );
  if (mainline === undefined) return undefined;
  const found: RawResult[] = [];
  for (const region of mainline.filter((part) => textAt(part, "display_type") === resultType)) {
    for (const result of listAt(region, "results") ?? []) {
      const url = webUrl(textAt(result, "clickUrl"));
      if (url === undefined) continue;
      found.push({
        title: await plainText(textAt(result, "title")),
        url,
        snippet: await plainText(textAt(result, "description")),
      });
    }
  }
  return found;
}

/** The fields of a page that posts itself again to show that somebody runs its script. */
export function startpageInterstitial(
  page: EnginePage,
): Readonly<Record<string, string>> | undefined {
  const data = recordOf(literalAfter(page, interstitialStart));
  if (data === undefined || textAt(data, "sgt") === "" || textAt(data, "query") === "") {
    return undefined;
  }
  return Object.fromEntries(Object.keys(data).map((name) => [name, textAt(data, name)]));
}

function literalAfter(page: EnginePage, start: RegExp): unknown {
  const starts = Iterator.from(page.scripts()).flatMap((script) =>
    script.matchAll(start).map(({ index, 0: text }) => ({ script, at: index + text.length })),
  );
  return starts
    .take(startsMax)
    .map(({ script, at }) => parseLiteral(script, at))
    .find((value) => value !== undefined);
}

/** Startpage's names of languages: mostly by their own names, in Latin letters. */
const languageNames: Readonly<Record<string, string>> = {
  ar: "arabic",
  bg: "bulgarian",
  cs: "czech",
  da: "dansk",
  de: "deutsch",
  el: "greek",
  en: "english",
  es: "espanol",
  et: "estonian",
  fi: "suomi",
  fr: "francais",
  hu: "hungarian",
  it: "italiano",
  ja: "nihongo",
  ko: "hangul",
  nb: "norsk",
  nl: "nederlands",
  no: "norsk",
  pl: "polski",
  pt: "portugues",
  ru: "russian",
  sv: "svenska",
  tr: "turkce",
  zh: "jiantizhongwen",
};

/** @param language ISO 639; an unknown one means English */
export function startpageLanguage(language: string): string {
  return languageNames[language] ?? "english";
}

/** Values nested deeper than this are not the ones that are looked for. */
const literalDepthMax = 200;

const spaces = /(?:\s+|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const word = /[A-Za-z_$][\w$]*/y;
const number = /[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)/y;

const words: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };
const minified: Readonly<Record<string, unknown>> = { "!0": true, "!1": false };

/**
 * The JSON value or JavaScript literal that starts at `start`, and nothing after it: scripts hold such values between
 * code. Nothing is evaluated. Objects have no prototype.
 * @returns undefined when it is missing, or does not end
 */
export function parseLiteral(text: string, start: number): unknown {
  try {
    return new LiteralReader(text, start).value(0);
  } catch (error) {
    if (error instanceof NoLiteral) return undefined;
    throw error;
  }
}

class NoLiteral extends Error {}

class LiteralReader {
  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  value(depth: number): unknown {
    if (depth > literalDepthMax) throw new NoLiteral();
    this.take(spaces);
    const char = this.text[this.at];
    if (char === "{") return this.object(depth);
    if (char === "[") return this.list(depth);
    if (char === '"' || char === "'") return this.string();
    const name = this.take(word);
    // `undefined`, `void 0` and the names of variables are values that nobody can know.
    if (name !== undefined) return Object.hasOwn(words, name) ? words[name] : this.unknown(name);
    const short = this.text.slice(this.at, this.at + 2);
    if (Object.hasOwn(minified, short)) {
      this.at += 2;
      return minified[short];
    }
    const digits = this.take(number);
    if (digits === undefined) throw new NoLiteral();
    return Number(digits);
  }

  private object(depth: number): Record<string, unknown> {
    const found: Record<string, unknown> = Object.create(null);
    this.members("}", () => {
      const quote = this.text[this.at];
      const isQuoted = quote === '"' || quote === "'";
      const name = isQuoted ? this.string() : (this.take(word) ?? this.take(number));
      this.take(spaces);
      if (name === undefined || this.text[this.at] !== ":") throw new NoLiteral();
      this.at += 1;
      found[name] = this.value(depth + 1);
    });
    return found;
  }

  private list(depth: number): unknown[] {
    const found: unknown[] = [];
    this.members("]", () => found.push(this.value(depth + 1)));
    return found;
  }

  /** The items between brackets, separated by commas; one may follow the last. */
  private members(end: string, member: () => void): void {
    this.at += 1;
    for (;;) {
      this.take(spaces);
      if (this.text[this.at] === end) break;
      member();
      this.take(spaces);
      const char = this.text[this.at];
      if (char === ",") this.at += 1;
      else if (char !== end) throw new NoLiteral();
    }
    this.at += 1;
  }

  private string(): string {
    const quote = this.text[this.at];
    const start = this.at + 1;
    let end = start;
    while (end < this.text.length && this.text[end] !== quote) {
      end += this.text[end] === "\\" ? 2 : 1;
    }
    if (end >= this.text.length) throw new NoLiteral();
    this.at = end + 1;
    return unescapeString(this.text.slice(start, end));
  }

  private unknown(name: string): undefined {
    if (name === "void") {
      this.take(spaces);
      this.take(number);
    }
    return undefined;
  }

  private take(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const match = expression.exec(this.text);
    if (match === null) return undefined;
    this.at = expression.lastIndex;
    return match[0];
  }
}

const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  0: "\0",
  "\n": "",
};

function unescapeString(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(
    /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([^]))/g,
    (_, braced?: string, four?: string, two?: string, char?: string) => {
      const code = braced ?? four ?? two;
      if (code === undefined) return escapes[char ?? ""] ?? char ?? "";
      const point = Number.parseInt(code, 16);
      return point <= 0x10_ffff ? String.fromCodePoint(point) : "";
    },
  );
}
