const decoder = new TextDecoder();
/** Strings are skipped as wholes, so that an `"id":` inside of one is not found. */
const part = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/gs;

/**
 * The number under `id` in the outermost object of a message of which only the beginning is known; ids of ours are
 * numbers. Undefined when it is not there.
 */
export function idOfHead(head: Uint8Array): number | undefined {
  const parts = decoder.decode(head).match(part) ?? [];
  let depth = 0;
  for (const [index, text] of parts.entries()) {
    if (text === "{" || text === "[") depth += 1;
    else if (text === "}" || text === "]") depth -= 1;
    const isKey = depth === 1 && text === '"id"' && parts[index + 1] === ":";
    if (!isKey) continue;
    const value = parts[index + 2] ?? "";
    // The number may go on after the head: it counts only when something follows.
    return /^\d+$/.test(value) && parts.length > index + 3 ? Number(value) : undefined;
  }
  return undefined;
}
