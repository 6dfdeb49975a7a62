import { toolGlobCharsMax, toolGlobWorkMax } from "../../base/limits.ts";

/** One place of a pattern: a character, any character, any characters, or one of a set. */
type Place =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "any" }
  | { readonly kind: "many" }
  | {
      readonly kind: "set";
      readonly isNegated: boolean;
      readonly ranges: readonly (readonly [from: string, to: string])[];
    };

/** A pattern for names of tools: `*`, `?`, `[a-z]`, `[!a]` and `{one,two}`; letter case counts. */
export interface ToolGlob {
  readonly pattern: string;
  /** One for each choice of what is in braces. */
  readonly forms: readonly (readonly Place[])[];
}

/**
 * Undefined for a pattern that is too long, or has too many forms, to be looked at in bounded time. Brackets and braces
 * that nothing closes stand for themselves.
 */
export function createToolGlob(pattern: string): ToolGlob | undefined {
  if (pattern.length > toolGlobCharsMax) return undefined;
  const forms = expandBraces(pattern.replaceAll(/\*{2,}/g, "*"));
  return forms === undefined ? undefined : { pattern, forms: forms.map(placesOf) };
}

/** Whether the whole of `name` is what the pattern says. */
export function toolGlobMatches({ forms }: ToolGlob, name: string): boolean {
  return forms.some((places) => reach(places, name)?.[places.length] === 1);
}

/** Whether a name that begins with `start` may be what the pattern says. */
export function toolGlobMayStartWith({ forms }: ToolGlob, start: string): boolean {
  return forms.some((places) => reach(places, start) !== undefined);
}

/** 1 for each place that can be next once `text` was read; undefined when it cannot be. */
function reach(places: readonly Place[], text: string): Uint8Array | undefined {
  let reached = new Uint8Array(places.length + 1);
  reached[0] = 1;
  pastStars(places, reached);
  for (const character of text) {
    const next = new Uint8Array(places.length + 1);
    for (const [at, place] of places.entries()) {
      if (reached[at] === 1 && isOne(place, character))
        next[place.kind === "many" ? at : at + 1] = 1;
    }
    if (!next.includes(1)) return undefined;
    pastStars(places, next);
    reached = next;
  }
  return reached;
}

/** A star may stand for nothing. */
function pastStars(places: readonly Place[], reached: Uint8Array): void {
  for (const [at, place] of places.entries()) {
    if (place.kind === "many" && reached[at] === 1) reached[at + 1] = 1;
  }
}

function isOne(place: Place, character: string): boolean {
  if (place.kind === "character") return place.character === character;
  if (place.kind !== "set") return true;
  return (
    place.ranges.some(([from, to]) => from <= character && character <= to) !== place.isNegated
  );
}

function placesOf(form: string): readonly Place[] {
  const places: Place[] = [];
  for (let at = 0; at < form.length;) {
    const character = String.fromCodePoint(form.codePointAt(at) ?? 0);
    const set = character === "[" ? setAt(form, at) : undefined;
    places.push(set?.place ?? placeOf(character));
    at = set?.end ?? at + character.length;
  }
  return places;
}

function placeOf(character: string): Place {
  if (character === "*") return { kind: "many" };
  return character === "?" ? { kind: "any" } : { kind: "character", character };
}

/** `[abc]`, `[a-z]`, `[!a]`, `[^a]`; a `]` that comes first is one of the set. */
function setAt(
  form: string,
  at: number,
): { readonly place: Place; readonly end: number } | undefined {
  const match = /^\[([!^]?)(\]?[^\]]*)\]/u.exec(form.slice(at));
  const [whole, sign, content] = match ?? [];
  if (whole === undefined || content === undefined || content === "") return undefined;
  const characters = Array.from(content);
  const ranges: (readonly [string, string])[] = [];
  for (let index = 0; index < characters.length; index++) {
    const from = characters[index] ?? "";
    const isRange = characters[index + 1] === "-" && characters[index + 2] !== undefined;
    ranges.push([from, isRange ? (characters[index + 2] ?? from) : from]);
    if (isRange) index += 2;
  }
  return { place: { kind: "set", isNegated: sign !== "", ranges }, end: at + whole.length };
}

/** Every choice of every pair of braces; undefined when there are too many. */
function expandBraces(pattern: string): readonly string[] | undefined {
  let forms = [""];
  let at = 0;
  for (const match of pattern.matchAll(/\{([^{}]*,[^{}]*)\}/g)) {
    const before = pattern.slice(at, match.index);
    const choices = (match[1] ?? "").split(",");
    if (forms.length * choices.length * pattern.length > toolGlobWorkMax) return undefined;
    forms = forms.flatMap((form) => choices.map((choice) => form + before + choice));
    at = match.index + match[0].length;
  }
  return forms.map((form) => form + pattern.slice(at));
}
