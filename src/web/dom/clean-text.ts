/**
 * Characters that a reader cannot see but a model or a terminal can be misled by: controls, bidi marks and
 * overrides, zero-width ones, fillers, tags and the supplementary variation selectors.
 */
const unseen = new RegExp(
  [
    String.raw`[\u0000-\u0008\u000e-\u001f\u007f]`,
    String.raw`[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0]`,
    String.raw`[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0d\ufeff\ufff0-\ufffb]`,
    String.raw`[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]`,
  ].join("|"),
  "gu",
);
/** Joiners are part of the spelling between letters of some scripts and between emoji; elsewhere they hide things. */
const strayJoiner =
  /(?<![\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Mn}\p{Mc}\p{Extended_Pictographic}\ufe0f])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{Extended_Pictographic}])|(?<=[\u200c\u200d])[\u200c\u200d]+/gu;
const strayStyle = /(?<![\p{Emoji}\p{S}\p{P}])[\ufe0e\ufe0f]+|(?<=[\ufe0e\ufe0f])[\ufe0e\ufe0f]+/gu;
const lineEnd = /\r\n?|[\u0085\u2028\u2029]/g;
/**
 * Sequences that terminals treat as commands: CSI, and OSC with its kin if it ends on its line (ECMA-48, sections 5.4
 * and 5.6).
 */
const escapeSequence =
  // oxlint-disable-next-line no-control-regex -- the pattern is for control characters
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)/g;
/** Non-breaking spaces, and the two controls that are treated as spaces. */
// oxlint-disable-next-line no-control-regex -- the pattern is for control characters
const oddSpace = /[\u000b\u000c\u00a0\u2007\u202f]/g;
/** Plain ASCII text needs no look at each rule. */
// oxlint-disable-next-line no-control-regex -- the plain range includes tab and line feed
const isPlain = /^[\t\n\u0020-\u007e]*$/;

/** Controls that nothing but broken encodings produces; terminals obey some of them. */
// oxlint-disable-next-line no-control-regex -- the pattern is for control characters
const upperControls = /[\u0080-\u009f]/g;

/** Removes characters from finished text only: in code, also of a wrongly decoded page, each character matters. */
export function withoutControls(text: string): string {
  return text.replace(upperControls, "");
}

/** `text` with `\n` for every line end, plain spaces, and without characters that nobody sees. */
export function cleanText(text: string): string {
  if (isPlain.test(text)) return text;
  return text
    .toWellFormed()
    .replace(escapeSequence, "")
    .replace(lineEnd, "\n")
    .replace(oddSpace, " ")
    .replace(unseen, "")
    .replace(strayStyle, "")
    .replace(strayJoiner, "");
}

const unevenSpace = /[^\S ]| {2}/;

export function collapseSpace(text: string): string {
  const trimmed = text.trim();
  // Most texts are white space alone, or have nothing but single spaces.
  return unevenSpace.test(trimmed) ? trimmed.replaceAll(/\s+/g, " ") : trimmed;
}

/** Letters and digits in lower case, for comparing titles. */
export function letters(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/**
 * Characters that a reader does not see, or that disguise others: controls, zero-width ones, bidirectional marks,
 * fillers, variation selectors, and the tag characters in which text can hide.
 */
const invisibleCharacters = /[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** A text of the web on one line, with nothing in it that is not to be seen. */
export function cleanLine(text: string): string {
  return Bun.stripANSI(text.toWellFormed())
    .replaceAll(/[\t-\r\u0085\p{Z}]+/gu, " ")
    .replaceAll(invisibleCharacters, "")
    .replaceAll(/ {2,}/g, " ")
    .trim();
}

/** The cut of a text when no word boundary is near the limit. */
const wordPartMin = 0.6;

/** At most `charsMax` characters of `text`, cut behind a word and ended with `…`. */
export function cutAtWord(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const room = text.slice(0, charsMax - 1);
  const space = /\s/.test(text.charAt(charsMax - 1)) ? room.length : room.lastIndexOf(" ");
  // A script without spaces, or one endless word.
  const kept =
    space < room.length * wordPartMin ? withoutHalfCharacter(room) : room.slice(0, space);
  return `${kept.replace(/[\s,;:–—-]+$/, "")}…`;
}

function withoutHalfCharacter(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
