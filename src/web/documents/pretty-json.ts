/** Deeper levels are not indented further: lines would grow without an end. */
const indentLevelsMax = 40;
const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g;

/**
 * JSON with a line for each member. Numbers and strings stay as they are written: parsing and writing them again
 * would round long numbers. Returns undefined for what is no JSON.
 */
export function prettyJson(text: string): string | undefined {
  if (!isJson(text)) return undefined;
  const out: string[] = [];
  let depth = 0;
  let isEmpty = false;
  for (const [part] of text.matchAll(token)) {
    const isClosing = part === "}" || part === "]";
    if (isClosing) depth--;
    if (isClosing ? !isEmpty : isEmpty) out.push(newline(depth));
    isEmpty = part === "{" || part === "[";
    if (isEmpty) depth++;
    if (part === ":") out.push(": ");
    else if (part === ",") out.push(",", newline(depth));
    else out.push(part);
  }
  return out.join("");
}

function newline(depth: number): string {
  return `\n${"  ".repeat(Math.min(depth, indentLevelsMax))}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
