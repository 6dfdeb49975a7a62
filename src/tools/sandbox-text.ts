/** The sentence of a result about the sandbox of its command; null without a sandbox. */
export function sandboxText(notes: readonly string[]): string | null {
  return notes.length === 0 ? null : `sandbox: ${notes.join(" ")}`;
}
