import { toolGlobCharsMax, toolGlobWorkMax } from "../../base/upstream-limits.ts";

/** The kinds of places in a pattern. */
const place = { character: 0, any: 1, many: 2, set: 3 } as const;

/**
 * One choice from the braces, place by place, as plain numbers for speed: each tool is matched against each pattern.
 */
interface Form {
  readonly kinds: Uint8Array;
  /** The code points of places that are one character. */
  readonly codes: Uint32Array;
  /** By place. */
  readonly sets: ReadonlyMap<number, CharacterSet>;
}

interface CharacterSet {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** A pattern for names of tools: `*`, `?`, `[a-z]`, `[!a]` and `{one,two}`; case-sensitive. */
export interface ToolGlob {
  readonly pattern: string;
  readonly forms: readonly Form[];
}

/**
 * Undefined for a pattern that is too long, or has too many forms, for bounded time. Unclosed brackets and braces are
 * literal.
 */
export function createToolGlob(pattern: string): ToolGlob | undefined {
  if (pattern.length > toolGlobCharsMax) return undefined;
  const forms = expandBraces(pattern.replaceAll(/\*{2,}/g, "*"));
  return forms === undefined ? undefined : { pattern, forms: forms.map(formOf) };
}

/** Whether the pattern matches the whole of `name`. */
export function toolGlobMatches({ forms }: ToolGlob, name: string): boolean {
  return forms.some((form) => reach(form, name)?.[form.kinds.length] === 1);
}

/** Whether the pattern may match a name that begins with `start`. */
export function toolGlobMayStartWith({ forms }: ToolGlob, start: string): boolean {
  return forms.some((form) => reach(form, start) !== undefined);
}

/** 1 for each place that can follow after `text`; undefined when `text` does not match. */
function reach(form: Form, text: string): Uint8Array | undefined {
  let reached = new Uint8Array(form.kinds.length + 1);
  let next = new Uint8Array(reached.length);
  reached[0] = 1;
  pastStars(form.kinds, reached);
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    at += code > 0xffff ? 2 : 1;
    next.fill(0);
    if (!step(form, code, reached, next)) return undefined;
    pastStars(form.kinds, next);
    [reached, next] = [next, reached];
  }
  return reached;
}

/** Advances by one character; false when no place matches it. */
function step(form: Form, code: number, reached: Uint8Array, next: Uint8Array): boolean {
  const { kinds, codes } = form;
  let isAny = false;
  for (let at = 0; at < kinds.length; at++) {
    if (reached[at] !== 1) continue;
    const kind = kinds[at];
    if (kind === place.character && codes[at] !== code) continue;
    if (kind === place.set && !isInSet(form.sets.get(at), code)) continue;
    next[kind === place.many ? at : at + 1] = 1;
    isAny = true;
  }
  return isAny;
}

/** Skips stars, which may match nothing. */
function pastStars(kinds: Uint8Array, reached: Uint8Array): void {
  for (let at = 0; at < kinds.length; at++) {
    if (kinds[at] === place.many && reached[at] === 1) reached[at + 1] = 1;
  }
}

function isInSet(set: CharacterSet | undefined, code: number): boolean {
  if (set === undefined) return false;
  return set.ranges.some(([from, to]) => from <= code && code <= to) !== set.isNegated;
}

function formOf(text: string): Form {
  const kinds: number[] = [];
  const codes: number[] = [];
  const sets = new Map<number, CharacterSet>();
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const found = code === bracket ? setAt(text, at) : undefined;
    if (found !== undefined) sets.set(kinds.length, found.set);
    kinds.push(found === undefined ? kindOf(code) : place.set);
    codes.push(code);
    at = found?.end ?? at + (code > 0xffff ? 2 : 1);
  }
  return { kinds: Uint8Array.from(kinds), codes: Uint32Array.from(codes), sets };
}

const bracket = 0x5b;
const star = 0x2a;
const questionMark = 0x3f;

function kindOf(code: number): number {
  if (code === star) return place.many;
  return code === questionMark ? place.any : place.character;
}

/** `[abc]`, `[a-z]`, `[!a]`, `[^a]`; a leading `]` belongs to the set. */
function setAt(
  text: string,
  at: number,
): { readonly set: CharacterSet; readonly end: number } | undefined {
  const match = /^\[([!^]?)(\]?[^\]]*)\]/u.exec(text.slice(at));
  const [whole, sign, content] = match ?? [];
  if (whole === undefined || content === undefined || content === "") return undefined;
  const characters = Array.from(content, (character) => character.codePointAt(0) ?? 0);
  const ranges: (readonly [number, number])[] = [];
  for (let index = 0; index < characters.length; index++) {
    const from = characters[index] ?? 0;
    const to = characters[index + 1] === dash ? characters[index + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) index += 2;
  }
  return { set: { isNegated: sign !== "", ranges }, end: at + whole.length };
}

const dash = 0x2d;

/** All combinations of the choices in braces; undefined when there are too many. */
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
