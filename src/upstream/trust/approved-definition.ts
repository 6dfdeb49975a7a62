import { sha256Hex } from "../../base/digests.ts";
import { isObject, canonicalJson } from "../../base/values.ts";
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
