import { AppError } from "../base/errors.ts";
import type { ChangeRecord } from "./change-log.ts";
import { readEntry } from "./edit/entry-text.ts";
import { readClientFile, textOf } from "./file-change.ts";
import { clientNamed } from "./find-client.ts";
import type { Entry } from "./install-targets.ts";

/** How many of the record's entries the client's file has as the change wants them. A file that cannot be read may have some. */
export function partMade({ client, file, entries }: ChangeRecord): "all" | "some" | "none" {
  const { home } = clientNamed(client);
  try {
    const text = textOf(readClientFile(file));
    const made = entries.filter(({ name, after }) =>
      isSameEntry(readEntry(file, text, home, name), after ?? undefined),
    );
    return made.length === 0 ? "none" : made.length === entries.length ? "all" : "some";
  } catch (error) {
    if (error instanceof AppError) return "some";
    throw error;
  }
}

/** A client's own command may add members, such as an empty `env`. */
function isSameEntry(found: Entry | undefined, wanted: Entry | undefined): boolean {
  if (found === undefined || wanted === undefined) return found === wanted;
  return Object.entries(wanted).every(([key, value]) => Bun.deepEquals(found[key], value));
}
