import type { ToolResult } from "./seen-by.ts";

/** Measures that a text rounds or leaves out, and what it says in words of its own. */
const unsaid = new Set(["runtimeMs", "elapsedMs", "ms", "score", "kind"]);

/**
 * What stands in one form of a result and not in the other: a value of the JSON that the text does not say, a word of
 * the text that the JSON does not have, a link that is in no text, text that runs into the block before it.
 * @param isOurs what another server says in its text and its JSON is its own affair
 */
export function factsMissing(
  { content, structuredContent, isError }: ToolResult,
  isOurs: boolean,
): string[] {
  const texts = content.flatMap(({ type, text }) => (type === "text" ? [text ?? ""] : []));
  const text = texts.join("");
  const missing: string[] = [];
  if (isError === true && text.trim() === "") missing.push("an error that says nothing");
  for (const { type, uri = "" } of content) {
    // The text names the file of the same id, which is what a model without links can open.
    const id = uri.slice(uri.lastIndexOf("/") + 1);
    if (type === "resource_link" && !text.includes(id)) missing.push(`the text has no ${uri}`);
  }
  for (const [place, later] of texts.entries()) {
    if (place === 0) continue;
    const isApart = later.startsWith("\n") || (texts[place - 1] ?? "").endsWith("\n");
    if (!isApart) missing.push(`runs into the text before it: ${later.slice(0, 60)}`);
  }
  if (structuredContent === undefined || !isOurs) return missing;
  const json = JSON.stringify(structuredContent);
  const words = wordsOf(json);
  for (const fact of factsOf(structuredContent)) {
    if (!says(text, fact)) missing.push(`the text does not say ${fact}`);
  }
  for (const word of wordsOf(text)) {
    if (!words.has(word) && !layout.has(word)) missing.push(`the JSON does not say ${word}`);
  }
  return missing;
}

/** Strings and numbers; nothing, no and none are said by silence. */
function factsOf(value: unknown, key = ""): string[] {
  if (unsaid.has(key) || key === "inputSchema") return [];
  if (typeof value === "string") return value === "" ? [] : [value];
  if (typeof value === "number") return value === 0 ? [] : [String(value)];
  if (Array.isArray(value)) return value.flatMap((item) => factsOf(item, key));
  if (typeof value !== "object" || value === null) return [];
  const isKept = "kind" in value && value.kind === "output";
  return Object.entries(value).flatMap(([name, inner]) =>
    isKept && name === "state" ? [] : factsOf(inner, name),
  );
}

function says(text: string, fact: string): boolean {
  const words = wordsOf(text);
  return [...wordsOf(fact)].every((word) => words.has(word));
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return new Set(words.match(/[a-z]{3,}|\d+/g));
}

/** Words that say how a text is laid out, or what a key of the JSON says by its value. */
const layout = new Set(
  (
    "and for the was with its first best match input schema read only running background tasks found " +
    "none current pending task step steps done completed unread bytes call tool name names server servers " +
    "after search that look like their kept file"
  ).split(" "),
);
