/** A permitted reference: something in the same document, or an inline picture. */
const localReference = String.raw`\s*["']?\s*(?:#|data:image/(?:png|jpe?g|gif|webp)[;,])`;
const foreignUrl = new RegExp(String.raw`url\((?!${localReference})[^)]*(?:\)|$)`, "gi");
const importRule = /@import[^;]*(?:;|$)/gi;
const isLocal = new RegExp(`^${localReference}`, "i");

/** True for a reference that leads nowhere outside the document. */
export function isLocalReference(reference: string): boolean {
  return isLocal.test(reference);
}

/**
 * Style without anything that leads out of the document. Its escapes are read before it is judged (`\75rl(` is
 * `url(`); a style that is clean is given back as it was.
 */
export function safeCss(css: string): string {
  const plain = css.replaceAll(
    /\\(?:([0-9a-f]{1,6})\s?|([\s\S]))/gi,
    (_all, code?: string, char?: string) =>
      code === undefined ? (char ?? "") : characterOf(Number.parseInt(code, 16)),
  );
  // The replacement of a rule has a blank, so that the text around it does not become a rule.
  const safe = plain.replaceAll(importRule, " ").replaceAll(foreignUrl, " none ");
  return safe === plain ? css : safe;
}

/** The character of a code; a replacement character for an invalid code. */
export function characterOf(code: number): string {
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : "\ufffd";
}
