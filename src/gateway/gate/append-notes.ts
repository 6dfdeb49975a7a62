import { isObject } from "../../protocol/json-rpc.ts";

/** A result, as JSON text, with a last text block that has these lines. Notes are rare: parsing it costs little. */
export function appendNotes(json: string, lines: readonly string[]): string {
  const result: unknown = JSON.parse(json);
  if (!isObject(result) || !Array.isArray(result.content)) return json;
  const note = { type: "text", text: lines.join("\n").toWellFormed() };
  return JSON.stringify({ ...result, content: [...(result.content as unknown[]), note] });
}
