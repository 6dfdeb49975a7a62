/** Whether `text` is one scope: visible ASCII without quotation mark and backslash (RFC 6749 section 3.3). */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text);
}

/** The scopes in a text that separates them by blanks; drops invalid ones. */
export function splitScopes(text: string): string[] {
  return text.split(" ").filter(isScope);
}
