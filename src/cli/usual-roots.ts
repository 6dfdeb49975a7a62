import { resolve } from "node:path";

import type { ConfigDirs } from "../config/places.ts";
import type { EntryField } from "../upstream/edit/entry-fields.ts";
import { givenRoots } from "../upstream/manager/given-roots.ts";
import type { ServerEntry } from "../upstream/config/server-entry.ts";

/** The default of `roots` for an entry without them; references in its arguments are not filled in. */
export async function usualRoots(
  entry: ServerEntry,
  dirs: Pick<ConfigDirs, "homeDir" | "projectDir">,
): Promise<readonly EntryField[]> {
  if (entry.options.roots !== undefined) return [];
  const { launch } = entry;
  const base = dirs.projectDir ?? dirs.homeDir;
  const placed =
    launch.transport === "stdio" ? { ...launch, cwd: resolve(base, launch.cwd ?? ".") } : launch;
  return [{ key: "roots", value: await givenRoots(entry, placed, dirs), source: "default" }];
}
