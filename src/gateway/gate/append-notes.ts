import { isObject, type Params } from "../../protocol/json-rpc.ts";

/** A result, as JSON text, with a last text block that has these lines. Notes are rare: parsing it costs little. */
export function appendNotes(json: string, lines: readonly string[]): string {
  const result: unknown = JSON.parse(json);
  return isObject(result) ? JSON.stringify(withTextNotes(result, lines)) : json;
}

/**
 * The same for a result of ours, whose structured content gets them too: many clients show their model that alone.
 * Every schema of ours has `notes`.
 */
export function appendNotesToOwn(json: string, lines: readonly string[]): string {
  const result: unknown = JSON.parse(json);
  if (!isObject(result)) return json;
  const told = withTextNotes(result, lines);
  const { structuredContent } = result;
  if (!isObject(structuredContent)) return JSON.stringify(told);
  const before: readonly unknown[] = Array.isArray(structuredContent.notes)
    ? structuredContent.notes
    : [];
  const notes = [...before, ...lines.map((line) => line.toWellFormed())];
  return JSON.stringify({ ...told, structuredContent: { ...structuredContent, notes } });
}

function withTextNotes(result: Params, lines: readonly string[]): Params {
  if (!Array.isArray(result.content)) return result;
  const note = { type: "text", text: lines.join("\n").toWellFormed() };
  return { ...result, content: [...(result.content as unknown[]), note] };
}
