import type { ToolRule } from "./server-entry.ts";

/**
 * Reads `server:glob,glob;server2:glob` of `MCP_ALLOW` and `MCP_DENY`. What has no `:` is held against whole names.
 * Never throws.
 */
export function parseToolRules(
  text: string,
  effect: ToolRule["effect"],
  trust: ToolRule["trust"],
): readonly ToolRule[] {
  return splitOutside(text, ";").flatMap((part) => {
    const colon = part.indexOf(":");
    const server = colon === -1 ? undefined : part.slice(0, colon).trim();
    return splitOutside(part.slice(colon + 1), ",").map((glob) => ({
      effect,
      ...(server !== undefined && { server }),
      glob,
      trust,
    }));
  });
}

/**
 * The parts between borders that are not in `{a,b}` or `[…]`, trimmed, without empty ones. A bracket that is never closed
 * is none: it must not swallow the rules after it.
 */
function splitOutside(text: string, border: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if ("{[".includes(character)) depth++;
    if ("}]".includes(character)) depth = Math.max(depth - 1, 0);
    if (character === border && depth === 0) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  return (depth === 0 ? parts : text.split(border))
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
