/** What a result says of the sandbox that its command ran in; null for none. */
export function sandboxText(notes: readonly string[]): string | null {
  return notes.length === 0 ? null : `sandbox: ${notes.join(" ")}`;
}
