import { oneLine } from "../../../base/cut-text.ts";
import { escapeUnsafe } from "../../../base/unsafe-characters.ts";
import { isObject } from "../../../protocol/json-rpc.ts";
import type { ShownMatch } from "./shown-match.ts";

/** A match as lines for the model. All but the first are indented: no description can look like another match. */
export function matchText(shown: ShownMatch): string {
  const { name, server, title, description, summary, inputSchema, annotations } = shown;
  const head = [`- ${name}`, `(server ${String(server)})`];
  if (typeof title === "string") head.push(title.replaceAll(/\s+/g, " "));
  if (isObject(annotations) && annotations["readOnlyHint"] === true) head.push("[read-only]");
  const lines = [head.join(" ")];
  for (const text of [description, summary]) {
    if (typeof text === "string" && text.trim() !== "") lines.push(...text.trim().split(/\r?\n/));
  }
  if (inputSchema !== undefined) lines.push(`input schema: ${JSON.stringify(inputSchema)}`);
  if (Array.isArray(shown["arguments"])) {
    const names = shown["arguments"].map((name) => oneLine(String(name)));
    lines.push(`arguments: ${names.join(", ") || "none"}`);
  }
  if (shown["explanation"] !== undefined) {
    lines.push(`score ${String(shown["score"])}: ${JSON.stringify(shown["explanation"])}`);
  }
  return escapeUnsafe(lines.join("\n    "));
}
