import { serversPerFileMax } from "../../base/upstream-limits.ts";
import { isTomlFile } from "../../config/places.ts";
import type { ProblemList } from "../../config/problems.ts";
import { readOwnTextFile, readTextFile, type TextFile } from "../../config/read-text-file.ts";
import {
  entriesOfJson,
  entriesOfToml,
  type RawEntries,
  type RawEntry,
  parseJsonc,
  type ParsedText,
  parseToml,
} from "./parse-server-file.ts";
import type { EntryOrigin } from "./server-entry.ts";

/** A file of servers, which need not exist. */
export type FileOrigin = EntryOrigin & { readonly file: string };

interface Reading {
  readonly parsed: ParsedText;
  readonly entriesOf: (root: unknown) => RawEntries;
  readonly lineOf: (value: unknown) => number | undefined;
}

/**
 * Reads a file of servers. An absent file has none; a file that cannot be used is one problem, and its last good
 * version stays in use. Never throws.
 */
export function readServerFile(
  origin: FileOrigin,
  problems: ProblemList,
  lastGood?: LastGoodFiles,
): RawServerFile | undefined {
  const { file } = origin;
  const content = readOrigin(origin);
  if (content.kind === "absent") {
    lastGood?.delete(file);
    return undefined;
  }
  const before = lastGood?.get(file);
  const refuse = (what: string, line?: number): RawServerFile | undefined => {
    const end = before === undefined ? "its servers are ignored" : "using its last good version";
    problems.warn({ file, line }, `${what}; ${end}.`);
    return before;
  };
  if (content.kind === "unusable") return refuse(`this file ${content.reason}`);
  const read = readText(file, content.text, problems, refuse);
  if (read !== undefined && read !== before) lastGood?.set(file, read);
  return read;
}

function readText(
  file: string,
  text: string,
  problems: ProblemList,
  refuse: (what: string, line?: number) => RawServerFile | undefined,
): RawServerFile | undefined {
  const reading = isTomlFile(file) ? tomlReading(text) : jsonReading(file, text, problems);
  const { parsed, entriesOf, lineOf } = reading;
  if (parsed.kind === "fault") {
    const { place } = parsed;
    const where = place === undefined ? "" : `column ${place.column}: `;
    return refuse(`${where}${parsed.text}`, place?.line);
  }
  const found = entriesOf(parsed.value);
  if (found.kind === "fault") return refuse(found.text);
  if (found.entries.length > serversPerFileMax) {
    problems.warn({ file }, `only the first ${serversPerFileMax} servers are used.`);
  }
  const entries = found.entries.slice(0, serversPerFileMax).map((entry) => {
    const line = lineOf(entry.value);
    return line === undefined ? entry : { ...entry, line };
  });
  return { entries };
}

function tomlReading(text: string): Reading {
  return { parsed: parseToml(text), entriesOf: entriesOfToml, lineOf: () => undefined };
}

function jsonReading(file: string, text: string, problems: ProblemList): Reading {
  const { parsed, duplicates, lineOf } = parseJsonc(text);
  for (const { key, line } of duplicates) {
    problems.warn({ file, line }, `${JSON.stringify(key)} is defined twice here; using the last.`);
  }
  return { parsed, entriesOf: entriesOfJson, lineOf };
}

/**
 * The text of a file that names servers. A file named on the command line is read, even when others may write it: the user chose
 * it.
 */
export function readOrigin({ trust, scope, file = "" }: EntryOrigin): TextFile {
  const isOwn = trust === "user" && scope !== "command-line";
  return isOwn ? readOwnTextFile(file) : readTextFile(file);
}

/** The entries of one file, with their first lines where known. */
export interface RawServerFile {
  readonly entries: readonly (RawEntry & { readonly line?: number })[];
}

/** The last good version of each file: a file that an editor has half written removes no server (CN15). */
export type LastGoodFiles = Map<string, RawServerFile>;
