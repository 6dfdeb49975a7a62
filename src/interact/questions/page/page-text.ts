/** Text in an element or an attribute: nothing in it can end either. */
export function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** Text in an element; characters that nobody sees are shown by their numbers. */
export function escapeHtml(text: string): string {
  return escapeText(text).replaceAll(invisible, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<span class="code">U+${code.toString(16).toUpperCase().padStart(4, "0")}</span>`;
  });
}

/**
 * Characters that could make a question look like another one: controls, bidi marks, zero-width characters, tags.
 * Joiners stay: words of some languages and many emoji are made with them.
 */
const invisible =
  /(?![\t\n])[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E0FFF}]/gu;
