import { mkdirSync, renameSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { trustFileBytesMax } from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { faultOfWriters } from "../../config/read-text-file.ts";
import { removeLeftDrafts, replaceFile } from "../../config/replace-file.ts";

/** The content of the file; without approvals when it cannot be used. */
export interface TrustReading {
  readonly record: TrustRecord;
  /** Why the file cannot be used, for a person. */
  readonly problem?: string;
  /** How a writer treats an unusable file. */
  readonly remedy?: "set-aside" | "leave";
}

/** `trust.json`: read again when it has changed, written by one process at a time. */
export class TrustFile {
  readonly path: string;
  #reading: TrustReading | undefined;
  #stamp = "";

  constructor(path: string) {
    this.path = path;
  }

  /** Never rejects. */
  async read(): Promise<TrustReading> {
    try {
      const stats = await stat(this.path, { bigint: true });
      const stamp = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
      if (this.#reading !== undefined && stamp === this.#stamp) return this.#reading;
      const reading = await this.#readAgain(stats.isFile(), Number(stats.size));
      this.#reading = reading;
      this.#stamp = stamp;
      return reading;
    } catch (error) {
      return this.#unreadable(error);
    }
  }

  /**
   * Changes the latest content, even if another process has just changed it. Keeps a damaged file beside the new one.
   * @returns false when there was nothing to change @throws AppError `system` when it cannot be read or written
   */
  async update(change: (record: TrustRecord) => TrustRecord): Promise<boolean> {
    return withFileLock(this.path, async () => {
      // The file may have changed without a new timestamp, so read the content again within the lock.
      this.#reading = undefined;
      const { record, problem, remedy } = await this.read();
      if (remedy === "leave") {
        throw new AppError("system", `${problem ?? this.path} Nothing was written.`);
      }
      const changed = change(record);
      if (changed === record) return false;
      const text = printRecord(changed);
      this.#assertReadable(text);
      this.#write(text, remedy === "set-aside");
      this.#reading = undefined;
      return true;
    });
  }

  /** A server with too many items must not make the approvals of all others unreadable. */
  #assertReadable(text: string): void {
    if (Buffer.byteLength(text) <= trustFileBytesMax) return;
    const remedy =
      "Delete it to start again: the offers of servers are then approved again at their first contact";
    const message = `${this.path} would be larger than ${trustFileBytesMax} bytes; nothing was written. ${remedy}.`;
    throw new AppError("system", message);
  }

  #write(text: string, isSetAside: boolean): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      if (isSetAside) renameSync(this.path, `${this.path}.damaged-${Date.now()}`);
      removeLeftDrafts(this.path);
      replaceFile(this.path, text, 0o600);
    } catch (error) {
      const message = `${this.path} cannot be written: ${messageOf(error)}.`;
      throw new AppError("system", message, { cause: error });
    }
  }

  async #readAgain(isFile: boolean, size: number): Promise<TrustReading> {
    if (!isFile) return this.#unusable("is not a regular file", "leave");
    if (size > trustFileBytesMax) {
      return this.#unusable(`is larger than ${trustFileBytesMax} bytes`, "leave");
    }
    const fault = faultOfWriters(this.path);
    if (fault !== undefined) return this.#unusable(fault, "leave");
    const parsed = parseTrustRecord(await readFile(this.path, "utf8"));
    if (parsed.kind === "record") return { record: parsed.record };
    if (parsed.kind === "later") {
      return this.#unusable("was written by a later version of this program", "leave");
    }
    return this.#unusable("is damaged; the next approval keeps it under another name", "set-aside");
  }

  #unreadable(error: unknown): TrustReading {
    const code = systemCodeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { record: emptyRecord };
    return this.#unusable(`cannot be read: ${messageOf(error)}`, "leave");
  }

  #unusable(reason: string, remedy: "set-aside" | "leave"): TrustReading {
    const problem = `${this.path} ${reason}. No approval of MCP servers or their tools is in effect.`;
    return { record: emptyRecord, problem, remedy };
  }
}

/** @throws TypeError for anything but a text */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError("no text");
}

/** The members of a JSON object, converted by `read`. @throws TypeError for anything else, and what `read` throws */
export function mapOf<Item>(
  value: unknown,
  read: (item: unknown) => Item,
): ReadonlyMap<string, Item> {
  if (!isObject(value)) throw new TypeError("no object");
  return new Map(Object.entries(value).map(([key, item]) => [key, read(item)]));
}

/** The user's decision about one launch in one project. */
export type LaunchVerdict = "approved" | "denied";

/** The approved offer of a launch: hashes by name (`approved-definition.ts`). */
export interface ToolPins {
  /** Absent when it had none. */
  readonly instructions?: string;
  readonly tools: ReadonlyMap<string, string>;
  readonly prompts: ReadonlyMap<string, string>;
  /** Tools that the user has refused, whatever their definitions become. */
  readonly denied: ReadonlySet<string>;
}

/** The content of `trust.json`. */
export interface TrustRecord {
  /** Verdicts by launch identity, then by project folder. */
  readonly launches: ReadonlyMap<string, ReadonlyMap<string, LaunchVerdict>>;
  /** Pins of tools by launch identity, in the order of first contacts. */
  readonly pins: ReadonlyMap<string, ToolPins>;
}

const emptyRecord: TrustRecord = { launches: new Map(), pins: new Map() };

export const emptyPins: ToolPins = { tools: new Map(), prompts: new Map(), denied: new Set() };

/** The version of the format; a file with a higher one is not changed. */
const recordVersion = 1;

type ParsedRecord =
  | { readonly kind: "record"; readonly record: TrustRecord }
  /** Written by a later version of this program. */
  | { readonly kind: "later" }
  | { readonly kind: "damaged" };

/** Any fault makes the whole file damaged, since it may have been cut short. */
export function parseTrustRecord(text: string): ParsedRecord {
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

function printRecord({ launches, pins }: TrustRecord): string {
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
