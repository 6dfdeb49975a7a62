import { addToJson, removeFromJson } from "../../upstream/edit/json-edit.ts";
import type { Entry, EntryHome } from "../install-targets.ts";

/** Sets or removes an entry in JSON, comments allowed; see `setEntry`. */
export function setInJson(
  text: string,
  { path: [key] }: EntryHome,
  name: string,
  entry: Entry | undefined,
): string {
  if (text.trim() === "" && entry !== undefined) return created(key ?? "", name, entry);
  const rest = text.trim() === "" ? "" : removeFromJson(text, name, key);
  return entry === undefined ? rest : addToJson(rest, name, entry, key);
}

/** A whole file, as people write one. */
function created(key: string, name: string, entry: Entry): string {
  return `${JSON.stringify({ [key]: { [name]: entry } }, undefined, 2)}\n`;
}
