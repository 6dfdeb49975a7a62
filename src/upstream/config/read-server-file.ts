import { serversPerFileMax } from "../../base/limits.ts";
import { isTomlFile } from "../../config/config-file-kind.ts";
import type { ProblemList } from "../../config/problems.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import { entriesOfJson, entriesOfToml } from "./json-shapes.ts";
import type { RawEntries, RawEntry } from "./json-shapes.ts";
import type { LastGoodFiles } from "./last-good-files.ts";
import { parseJsonc } from "./parse-jsonc.ts";
import { parseToml } from "./parse-toml.ts";
import type { ParsedText } from "./parse-toml.ts";

/** The entries of one file, with the lines in which they begin where that is known. */
export interface RawServerFile {
  readonly entries: readonly (RawEntry & { readonly line?: number })[];
}

interface Reading {
  readonly parsed: ParsedText;
  readonly entriesOf: (root: unknown) => RawEntries;
  readonly lineOf: (value: unknown) => number | undefined;
}

/**
 * Reads a file of servers. One that is absent has none; one that cannot be used is one problem, and what it last
 * said still counts. Never throws.
 */
export function readServerFile(
  file: string,
  problems: ProblemList,
  lastGood?: LastGoodFiles,
): RawServerFile | undefined {
  const content = readTextFile(file);
  if (content.kind === "absent") {
    lastGood?.forget(file);
    return undefined;
  }
  const read =
    content.kind === "text"
      ? readText(file, content.text, problems)
      : refuse(problems, { file }, `this file ${content.reason}`);
  if (read === undefined) return lastGood?.get(file);
  lastGood?.keep(file, read);
  return read;
}

function readText(file: string, text: string, problems: ProblemList): RawServerFile | undefined {
  const { parsed, entriesOf, lineOf } = isTomlFile(file)
    ? tomlReading(text)
    : jsonReading(file, text, problems);
  if (parsed.kind === "fault") {
    const { place } = parsed;
    const where = place === undefined ? "" : `column ${place.column}: `;
    return refuse(problems, { file, line: place?.line }, `${where}${parsed.text}`);
  }
  const found = entriesOf(parsed.value);
  if (found.kind === "fault") return refuse(problems, { file }, found.text);
  if (found.entries.length > serversPerFileMax) {
    problems.warn({ file }, `only the first ${serversPerFileMax} servers count.`);
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
    problems.warn({ file, line }, `${JSON.stringify(key)} stands here twice; the last counts.`);
  }
  return { parsed, entriesOf: entriesOfJson, lineOf };
}

function refuse(
  problems: ProblemList,
  place: { readonly file: string; readonly line?: number | undefined },
  what: string,
): undefined {
  problems.warn(place, `${what}; no server of this file counts.`);
}
