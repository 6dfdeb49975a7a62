const decoder = new TextDecoder();
/** Strings are skipped as wholes, so that an `"id":` inside of one is not found. */
const part = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/gs;

/**
 * What a message answers of which only the beginning is known: the number under `id` in the outermost object, since ids
 * of ours are numbers. `none` for one that has a `method`: its id is the server's own. Undefined when that cannot be told.
 */
export function idOfHead(head: Uint8Array): number | "none" | undefined {
  const parts = decoder.decode(head).match(part) ?? [];
  let depth = 0;
  let id: number | undefined;
  for (const [index, text] of parts.entries()) {
    if (text === "{" || text === "[") depth += 1;
    else if (text === "}" || text === "]") depth -= 1;
    if (depth !== 1 || parts[index + 1] !== ":") continue;
    if (text === '"method"') return "none";
    // The number may go on after the head: it counts only when something follows.
    const value = parts.length > index + 3 ? (parts[index + 2] ?? "") : "";
    if (text === '"id"' && /^\d+$/.test(value)) id ??= Number(value);
  }
  return id;
}
