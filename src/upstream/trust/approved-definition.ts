import { mkdirSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

import { sha256Hex } from "../../base/digests.ts";
import { definitionFileBytesMax } from "../../base/upstream-limits.ts";
import { isObject, canonicalJson } from "../../base/values.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { removeLeftDrafts, replaceFile } from "../../config/replace-file.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { escapeHidden } from "./hidden-characters.ts";

/** One field in which two definitions differ. Texts are escaped for printing. */
export interface FieldDifference {
  /** `description`, `inputSchema.properties.path.type`. */
  readonly field: string;
  /** The earlier lines, without equal ones at both ends; undefined when there was no such field. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** All differences between `before` and `after`, sorted by field. None is left out, because the user approves them. */
export function differencesOf(
  before: Params | undefined,
  after: Params | undefined,
): readonly FieldDifference[] {
  const old = leavesOf(before);
  const present = leavesOf(after);
  const fields = [...new Set([...old.keys(), ...present.keys()])].sort();
  const differing = fields.filter((field) => old.get(field) !== present.get(field));
  return differing.map((field) => differenceOf(field, old.get(field), present.get(field)));
}

/** Lines for people: the field, then removed lines with `-` and added lines with `+`. */
export function differenceLines(differences: readonly FieldDifference[]): readonly string[] {
  return differences.flatMap(({ field, before = [], after = [] }) => [
    field,
    ...before.map((line) => `  - ${line}`),
    ...after.map((line) => `  + ${line}`),
  ]);
}

/** `description, inputSchema.properties.path`: for a sentence. */
export function differingFields(differences: readonly FieldDifference[]): string {
  const names = differences.map(({ field }) => field);
  return names.length <= 4 ? names.join(", ") : `${names.slice(0, 4).join(", ")} and more`;
}

/** The texts at the ends of all paths; an empty object or list is also an end. */
function leavesOf(value: Params | undefined): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  for (const [name, part] of Object.entries(value ?? {})) collect(part, nameOf(name), leaves);
  return leaves;
}

function collect(value: unknown, path: string, leaves: Map<string, string>): void {
  if (isObject(value) && Object.keys(value).length > 0) {
    for (const [name, part] of Object.entries(value))
      collect(part, `${path}.${nameOf(name)}`, leaves);
  } else if (Array.isArray(value) && value.some((part) => isObject(part) || Array.isArray(part))) {
    for (const [index, part] of value.entries()) collect(part, `${path}[${index}]`, leaves);
  } else {
    leaves.set(path, typeof value === "string" ? value : JSON.stringify(value));
  }
}

/** Quotes a name with a dot, which would look like two. */
function nameOf(name: string): string {
  return /^[\w$-]+$/.test(name) ? name : escapeHidden(JSON.stringify(name));
}

function differenceOf(
  field: string,
  before: string | undefined,
  after: string | undefined,
): FieldDifference {
  const old = before?.split("\n") ?? [];
  const present = after?.split("\n") ?? [];
  let head = 0;
  while (head < Math.min(old.length, present.length) && old[head] === present[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, present.length) - head;
  while (tail < most && old.at(-1 - tail) === present.at(-1 - tail)) tail += 1;
  const between = (lines: readonly string[]): readonly string[] => {
    return lines.slice(head, lines.length - tail).map(escapeHidden);
  };
  return {
    field,
    ...(before === undefined ? {} : { before: between(old) }),
    ...(after === undefined ? {} : { after: between(present) }),
  };
}

/** The approved parts of a definition (TR1): everything that a model reads or that describes its effects. */
const toolParts = [
  "name",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "_meta",
] as const;
const promptParts = ["name", "title", "description", "arguments", "_meta"] as const;

export function toolHash(tool: Params): string {
  return definitionHash(approvedToolParts(tool));
}

export function promptHash(prompt: Params): string {
  return definitionHash(approvedPromptParts(prompt));
}

export function instructionsHash(instructions: string): string {
  return definitionHash(approvedInstructions(instructions));
}

/** The parts of a tool that are approved and compared. */
export function approvedToolParts(tool: Params): Params {
  return partsOf(tool, toolParts);
}

export function approvedPromptParts(prompt: Params): Params {
  return partsOf(prompt, promptParts);
}

export function approvedInstructions(instructions: string): Params {
  return { instructions };
}

function partsOf(definition: Params, names: readonly string[]): Params {
  return Object.fromEntries(
    names.filter((name) => definition[name] !== undefined).map((name) => [name, definition[name]]),
  );
}

/**
 * SHA-256 of the approved parts, in hexadecimal. Normalises the text as a whole: two members whose names differ only in
 * Unicode composition stay two, so that neither hides the other.
 */
export function definitionHash(parts: Params): string {
  return sha256Hex(canonicalJson(parts).normalize("NFC"));
}

/** Definitions by hash. */
export type Definitions = ReadonlyMap<string, Params>;

/**
 * The approved definitions in full, one file for each launch. They are only shown to people: the hashes in `trust.json`
 * decide about calls, and without the file a difference cannot be shown.
 */
export class ApprovedDefinitions {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Never rejects. */
  async read(identity: string): Promise<Definitions> {
    try {
      const file = this.#fileOf(identity);
      const stats = await stat(file);
      if (!stats.isFile() || stats.size > definitionFileBytesMax) return new Map();
      const value: unknown = JSON.parse(await readFile(file, "utf8"));
      if (!isObject(value)) return new Map();
      return new Map(
        Object.entries(value).filter((pair): pair is [string, Params] => isObject(pair[1])),
      );
    } catch {
      return new Map();
    }
  }

  /** Leaves out the oldest when all of them are too large. Never rejects. */
  async add(identity: string, definitions: Definitions): Promise<void> {
    if (definitions.size === 0) return;
    const file = this.#fileOf(identity);
    try {
      await withFileLock(file, async () => {
        const all = new Map([...(await this.read(identity)), ...definitions]);
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        removeLeftDrafts(file);
        replaceFile(file, printDefinitions(all));
      });
    } catch {
      // A full disk or another user's folder: approvals do not depend on it.
    }
  }

  #fileOf(identity: string): string {
    return join(this.#folder, `${identity.replaceAll(/[^0-9a-z]/gi, "_")}.json`);
  }
}

function printDefinitions(definitions: Definitions): string {
  const rows: string[] = [];
  // For the braces and the newline.
  let bytes = 4;
  for (const [hash, definition] of [...definitions].toReversed()) {
    const row = `${JSON.stringify(hash)}:${JSON.stringify(definition)}`;
    bytes += Buffer.byteLength(row) + 2;
    if (bytes > definitionFileBytesMax) break;
    rows.unshift(row);
  }
  return `{${rows.join(",\n")}}\n`;
}
