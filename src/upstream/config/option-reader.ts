import { isObject } from "../../base/values.ts";
import { readStrings } from "./entry-launch.ts";
import type { Table } from "./parse-server-file.ts";
import { EntryFault, type EntryNotes, type RootsRule } from "./server-entry.ts";

/**
 * Reads the optional keys of one entry. A bad value of a key that gives or takes rights makes the entry unusable, since
 * a typo must not widen rights; a bad value of any other key is a warning, and the default is used.
 */
export class OptionReader {
  constructor(
    readonly entry: Table,
    readonly notes: EntryNotes,
  ) {}

  /** An integer; a value out of bounds becomes the nearest bound. */
  integer<Default extends number | undefined>(
    key: string,
    [min, max]: readonly [number, number],
    whenAbsent: Default,
  ): number | Default {
    const value = this.#valueOf(key);
    if (value === undefined) return whenAbsent;
    if (typeof value !== "number" || !Number.isInteger(value)) {
      this.notes.warn(`${key} must be an integer; using the default.`);
      return whenAbsent;
    }
    const bounded = Math.min(Math.max(value, min), max);
    if (bounded !== value) {
      this.notes.warn(`${key} is ${value}, which is out of bounds; using ${bounded}.`);
    }
    return bounded;
  }

  boolean(key: string, whenAbsent: boolean): boolean {
    const value = this.#valueOf(key);
    if (value === undefined || typeof value === "boolean") return value ?? whenAbsent;
    this.notes.warn(`${key} must be true or false; using the default.`);
    return whenAbsent;
  }

  choice<Choice extends string | boolean, Default extends Choice | undefined>(
    key: string,
    choices: readonly Choice[],
    whenAbsent: Default,
  ): Choice | Default {
    const warn = (problem: string): void =>
      this.notes.warn(`${key} ${problem}; using the default.`);
    return this.#oneOf(key, choices, warn) ?? whenAbsent;
  }

  /** @throws EntryFault for anything but the choices */
  right<Choice extends string | boolean, Default extends Choice | undefined>(
    key: string,
    choices: readonly Choice[],
    whenAbsent: Default,
  ): Choice | Default {
    const refuse = (problem: string): never => {
      throw new EntryFault(`has an invalid ${key}: it ${problem}`);
    };
    return this.#oneOf(key, choices, refuse) ?? whenAbsent;
  }

  /** @throws EntryFault for anything but a list of strings */
  list(key: string): readonly string[] | undefined {
    const value = this.#valueOf(key);
    return value === undefined ? undefined : readStrings(value, key);
  }

  table(key: string): Table | undefined {
    const value = this.#valueOf(key);
    if (value === undefined || isObject(value)) return value;
    this.notes.warn(`${key} must be a table; it is ignored.`);
    return undefined;
  }

  /** Undefined when it is absent or not one of the choices; in the latter case it calls `onOther`. */
  #oneOf<Choice extends string | boolean>(
    key: string,
    choices: readonly Choice[],
    onOther: (problem: string) => void,
  ): Choice | undefined {
    const value = this.#valueOf(key);
    const found = choices.find((choice) => choice === value);
    if (value !== undefined && found === undefined) onOther(`must be one of ${choices.join(", ")}`);
    return found;
  }

  /** JSON may write an absent value as null. */
  #valueOf(key: string): unknown {
    return this.entry[key] ?? undefined;
  }
}

/** The values that are not folders. */
export const rootsWords = ["none", "workspace", "client"] as const;

/**
 * The key `roots`: one of three words, or folders.
 * @throws EntryFault for anything else: the key decides which of the user's folders a server learns of
 */
export function readRootsRule(value: unknown): RootsRule | undefined {
  if (value === undefined || value === null) return undefined;
  const word = rootsWords.find((each) => each === value);
  if (word !== undefined) return word;
  if (typeof value === "string") {
    throw new EntryFault(
      `has an invalid roots: it must be one of ${rootsWords.join(", ")}, or a list of folders`,
    );
  }
  const folders = readStrings(value, "roots");
  if (folders.length === 0)
    throw new EntryFault('has an empty list of roots: write "none" for no folder');
  if (folders.some((folder) => folder.trim() === "" || folder.includes("\0"))) {
    throw new EntryFault("has a folder in roots that is not a path");
  }
  return folders;
}
