import { type ProblemList, quoteValue } from "../../config/problems.ts";
import { isOwnEntry } from "./own-entry.ts";
import { readEntry } from "./read-entry.ts";
import type { RawServerFile } from "./read-server-file.ts";
import { EntryFault, type EntryOrigin, type ServerEntry } from "./server-entry.ts";
import type { UpstreamConfigParts } from "./upstream-start.ts";

/** Where what is wrong, and what is only worth telling, is written down. */
export interface SourceNotes {
  readonly problems: ProblemList;
  readonly notices: string[];
}

/**
 * The servers of one source, in its order; of two with one name the last counts. Each entry that cannot be used is one
 * problem and takes no other along (CF12).
 * @param place an environment variable, where there is no file
 */
export function readSource(
  content: RawServerFile,
  origin: EntryOrigin,
  parts: UpstreamConfigParts,
  { problems, notices }: SourceNotes,
  place?: { readonly line?: number | undefined; readonly name?: string },
): readonly ServerEntry[] {
  const entries = new Map<string, ServerEntry>();
  for (const raw of content.entries) {
    const at = { file: origin.file, line: raw.line ?? place?.line, name: place?.name };
    const label = `server ${typeof raw.name === "string" ? quoteValue(raw.name) : "without a name"}`;
    const warn = (text: string): void => problems.warn(at, `${label}: ${text}`);
    const warnings: string[] = [];
    try {
      const entry = readEntry(raw, origin, { warn: (text) => warnings.push(text) });
      if (isOwnEntry(entry.launch, parts)) {
        notices.push(
          `${origin.file ?? at.name ?? "command line"}: ${label} is this program itself; it is skipped.`,
        );
        continue;
      }
      if (entries.has(entry.name)) warnings.push("it is there twice; the last counts.");
      for (const text of warnings) warn(text);
      entries.set(entry.name, entry);
    } catch (error) {
      if (!(error instanceof EntryFault)) throw error;
      problems.warn(at, `${label} ${error.message}; it is ignored.`);
    }
  }
  return [...entries.values()];
}
