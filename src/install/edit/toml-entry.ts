import { addToToml, removeFromToml } from "../../upstream/edit/toml-edit.ts";
import type { Entry, EntryHome } from "../install-targets.ts";

/** Sets or removes a table in TOML; see `setEntry`. */
export function setInToml(
  text: string,
  { path }: EntryHome,
  name: string,
  entry: Entry | undefined,
): string {
  const rest = removeFromToml(text, name, path);
  return entry === undefined ? rest : addToToml(rest, name, entry, path);
}
