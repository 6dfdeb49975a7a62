import { toolGlobCharsMax, toolGlobWorkMax } from "../../base/upstream-limits.ts";

/** What one place of a pattern stands for. */
const place = { character: 0, any: 1, many: 2, set: 3 } as const;

/** One choice of what is in braces, place by place: plain numbers, since each tool is held against each pattern. */
interface Form {
  readonly kinds: Uint8Array;
  /** The code point of a place that is one character. */
  readonly codes: Uint32Array;
  /** By place. */
  readonly sets: ReadonlyMap<number, CharacterSet>;
}

interface CharacterSet {
  readonly isNegated: boolean;
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** A pattern for names of tools: `*`, `?`, `[a-z]`, `[!a]` and `{one,two}`; letter case counts. */
export interface ToolGlob {
  readonly pattern: string;
  readonly forms: readonly Form[];
}

/**
 * Undefined for a pattern that is too long, or has too many forms, to be looked at in bounded time. Brackets and braces
 * that nothing closes stand for themselves.
 */
export function createToolGlob(pattern: string): ToolGlob | undefined {
  if (pattern.length > toolGlobCharsMax) return undefined;
  const forms = expandBraces(pattern.replaceAll(/\*{2,}/g, "*"));
  return forms === undefined ? undefined : { pattern, forms: forms.map(formOf) };
}

/** Whether the whole of `name` is what the pattern says. */
export function toolGlobMatches({ forms }: ToolGlob, name: string): boolean {
  return forms.some((form) => reach(form, name)?.[form.kinds.length] === 1);
}

/** Whether a name that begins with `start` may be what the pattern says. */
export function toolGlobMayStartWith({ forms }: ToolGlob, start: string): boolean {
  return forms.some((form) => reach(form, start) !== undefined);
}

/** 1 for each place that can be next once `text` was read; undefined when it cannot be. */
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

/** False when no place takes the character. */
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

/** A star may stand for nothing. */
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

/** `[abc]`, `[a-z]`, `[!a]`, `[^a]`; a `]` that comes first is one of the set. */
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
