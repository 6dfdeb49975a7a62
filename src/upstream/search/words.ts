import { searchQueryCharsMax } from "../../base/upstream-limits.ts";
/**
 * The words of a text in lower case, split at everything that is neither a letter nor a digit, and at the humps of
 * camel case. Scripts without blanks between words give pairs of characters.
 */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  const spaced = text
    .normalize("NFKC")
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .replaceAll(/['’](?:s|t|re|ve|ll|d|m)\b/gu, "");
  for (const [word] of spaced.toLowerCase().matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    if (unspaced.test(word)) words.push(...pairsOf(word));
    else words.push(word);
  }
  return words;
}

/** The stems of a text's words, for the index and for queries. */
export function termsOf(text: string): string[] {
  return wordsOf(text).map((word) => stem(word));
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function pairsOf(word: string): string[] {
  const characters = Array.from(word);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/**
 * Removes endings of a lower-case word, so that `issues`, `creating` and `deletion` match `issue`, `create` and
 * `delete`. The stem need not be a word. In doubt, an ending stays.
 */
export function stem(word: string): string {
  const regular = irregular.get(word) ?? word;
  if (regular.length < 4 || !/^[a-z]+$/.test(regular)) return regular;
  let rest = withoutPlural(regular);
  rest = withoutVerbEnding(rest);
  if (rest.length > 5 && rest.endsWith("ion") && /[st]$/.test(rest.slice(0, -3))) {
    rest = rest.slice(0, -3);
  }
  if (rest.length > 8 && rest.endsWith("ment")) rest = rest.slice(0, -4);
  if (rest.length > 3 && rest.endsWith("e")) rest = rest.slice(0, -1);
  return rest.length > 3 && rest.endsWith("y") ? `${rest.slice(0, -1)}i` : rest;
}

/** Irregular forms, which have no ending to remove. */
const irregular: ReadonlyMap<string, string> = new Map(
  `sent:send written:write wrote:write made:make ran:run got:get took:take taken:take found:find said:say kept:keep
   gave:give given:give began:begin drew:draw drawn:draw sold:sell paid:pay left:leave done:do went:go gone:go saw:see
   seen:see chose:choose chosen:choose built:build bought:buy held:hold lost:lose met:meet read:read spoke:speak
   spoken:speak told:tell thought:think understood:understand won:win broken:break broke:break hidden:hide shown:show
   known:know knew:know grown:grow thrown:throw woken:wake people:person children:child indices:index
   matrices:matrix statuses:status addresses:address`
    .split(/\s+/)
    .map((pair) => pair.split(":"))
    .map(([form = "", base = ""]) => [form, base]),
);

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|zz)es$/.test(word)) return word.slice(0, -2);
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutVerbEnding(word: string): string {
  const base = /^(.*[aeiouy].*?)(?:ing|ed)$/.exec(word)?.[1];
  if (base === undefined || base.length < 3) return word;
  // running → run, but calling → call.
  return /([bdgkmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}

/** Words of questions and requests that do not help to find a tool. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about am an and any are as at be been but by can could did do does for from had has have how i if in into is it
   its just let me my need of on onto or our out please should so some that the their them then there these they this
   those to up us want was we were what when where which who whom why will with within would you your all also
   using use via given based tool tools one ones every each both than too very here im id ill whats hows lets
   like such gonna really actually maybe`.split(/\s+/),
);

export interface QueryWord {
  readonly text: string;
  /** Written with a `+`; tools without it do not match. */
  readonly isRequired: boolean;
}

/** The forms of queries (docs/tool-search.md#what-can-be-asked). */
export type ParsedQuery =
  | { readonly kind: "words"; readonly words: readonly QueryWord[]; readonly server?: string }
  | { readonly kind: "select"; readonly names: readonly string[] }
  | { readonly kind: "pattern"; readonly source: string; readonly flags: string };

/** Parses a query; every text that has no other form is words. */
export function parseQuery(query: string): ParsedQuery {
  const text = query.slice(0, searchQueryCharsMax).trim();
  const select = /^select:(.*)$/is.exec(text)?.[1];
  if (select !== undefined) return { kind: "select", names: namesOf(select) };
  const pattern = /^\/(.+)\/([a-z]*)$/s.exec(text);
  if (pattern !== null && /^[imsu]*$/.test(pattern[2] ?? "")) {
    return { kind: "pattern", source: pattern[1] ?? "", flags: pattern[2] ?? "" };
  }
  return parseWords(text);
}

function namesOf(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

function parseWords(text: string): ParsedQuery {
  let server: string | undefined;
  const words: QueryWord[] = [];
  for (const part of text.split(/\s+/).filter(Boolean)) {
    const facet = /^server:(.+)$/i.exec(part)?.[1];
    const required = /^\+(.+)$/.exec(part)?.[1];
    if (facet !== undefined) server = facet;
    else words.push({ text: required ?? part, isRequired: required !== undefined });
  }
  return { kind: "words", words, ...(server === undefined ? {} : { server }) };
}
