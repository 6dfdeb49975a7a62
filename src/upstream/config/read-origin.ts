import { readOwnTextFile, readTextFile, type TextFile } from "../../config/read-text-file.ts";
import type { EntryOrigin } from "./server-entry.ts";

/** The text of a file that names servers. What is named on the command line was meant, whoever may write it. */
export function readOrigin({ trust, scope, file = "" }: EntryOrigin): TextFile {
  const isOwn = trust === "user" && scope !== "command-line";
  return isOwn ? readOwnTextFile(file) : readTextFile(file);
}
