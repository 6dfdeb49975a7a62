import { isObject } from "../../protocol/json-rpc.ts";

/** @throws TypeError for anything but a text */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError("no text");
}

/** The members of a JSON object, each as `read` has it. @throws TypeError for anything else, and what `read` throws */
export function mapOf<Item>(
  value: unknown,
  read: (item: unknown) => Item,
): ReadonlyMap<string, Item> {
  if (!isObject(value)) throw new TypeError("no object");
  return new Map(Object.entries(value).map(([key, item]) => [key, read(item)]));
}

/** What a user has decided about one launch in one project. */
export type LaunchVerdict = "approved" | "denied";

/** What of a launch is approved: hashes by name (`definition-hash.ts`). */
export interface ToolPins {
  /** Absent: it had none. */
  readonly instructions?: string;
  readonly tools: ReadonlyMap<string, string>;
  readonly prompts: ReadonlyMap<string, string>;
  /** Tools that the user has refused, whatever they become. */
  readonly denied: ReadonlySet<string>;
}

/** The content of `trust.json`. */
export interface TrustRecord {
  /** By launch identity, then by project folder. */
  readonly launches: ReadonlyMap<string, ReadonlyMap<string, LaunchVerdict>>;
  /** By launch identity, the latest first contact last. */
  readonly pins: ReadonlyMap<string, ToolPins>;
}

export const emptyRecord: TrustRecord = { launches: new Map(), pins: new Map() };

export const emptyPins: ToolPins = { tools: new Map(), prompts: new Map(), denied: new Set() };

/** Of the format; a file with a higher one is not touched. */
const recordVersion = 1;

export type ParsedRecord =
  | { readonly kind: "record"; readonly record: TrustRecord }
  /** Written by a later version of this program. */
  | { readonly kind: "later" }
  | { readonly kind: "damaged" };

/** A file with anything strange in it is damaged as a whole: a part of it could be what somebody cut short. */
export function parseRecord(text: string): ParsedRecord {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || !Number.isInteger(value.version)) return { kind: "damaged" };
    if (Number(value.version) > recordVersion) return { kind: "later" };
    const launches = mapOf(value.launches, (projects) => mapOf(projects, verdictOf));
    return { kind: "record", record: { launches, pins: mapOf(value.pins, pinsOf) } };
  } catch {
    return { kind: "damaged" };
  }
}

export function printRecord({ launches, pins }: TrustRecord): string {
  const record = {
    version: recordVersion,
    launches: objectOf(launches, (projects) => objectOf(projects, (verdict) => verdict)),
    pins: objectOf(pins, ({ instructions, tools, prompts, denied }) => ({
      instructions,
      tools: objectOf(tools, (hash) => hash),
      prompts: objectOf(prompts, (hash) => hash),
      denied: [...denied],
    })),
  };
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

function pinsOf(value: unknown): ToolPins {
  if (!isObject(value)) throw new TypeError("no pins");
  const { instructions, denied } = value;
  if (!Array.isArray(denied)) throw new TypeError("no list");
  return {
    ...(instructions === undefined ? {} : { instructions: textOf(instructions) }),
    tools: mapOf(value.tools, textOf),
    prompts: mapOf(value.prompts, textOf),
    denied: new Set(denied.map(textOf)),
  };
}

function verdictOf(value: unknown): LaunchVerdict {
  if (value === "approved" || value === "denied") return value;
  throw new TypeError("no verdict");
}

function objectOf<Item>(
  map: ReadonlyMap<string, Item>,
  write: (item: Item) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...map].map(([key, item]) => [key, write(item)]));
}
