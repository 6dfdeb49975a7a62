import { readStrings } from "./entry-launch.ts";
import { isTable } from "./json-shapes.ts";
import { EntryFault, type EntryNotes } from "./server-entry.ts";

type Table = Readonly<Record<string, unknown>>;

/**
 * Reads the optional keys of one entry. A bad value of a key that gives or takes rights makes the entry unusable, since
 * a slip must open nothing; of any other key it is a warning, and the default counts.
 */
export class OptionReader {
  constructor(
    readonly entry: Table,
    readonly notes: EntryNotes,
  ) {}

  /** A whole number; one out of bounds is brought to the nearest bound. */
  integer<Default extends number | undefined>(
    key: string,
    bounds: { readonly min: number; readonly max: number },
    whenAbsent: Default,
  ): number | Default {
    const value = this.#valueOf(key);
    if (value === undefined) return whenAbsent;
    if (typeof value !== "number" || !Number.isInteger(value)) {
      this.notes.warn(`${key} is no whole number; the default counts.`);
      return whenAbsent;
    }
    const bounded = Math.min(Math.max(value, bounds.min), bounds.max);
    if (bounded !== value) {
      this.notes.warn(`${key} is ${value}, which is out of bounds; ${bounded} counts.`);
    }
    return bounded;
  }

  boolean(key: string, whenAbsent: boolean): boolean {
    const value = this.#valueOf(key);
    if (value === undefined || typeof value === "boolean") return value ?? whenAbsent;
    this.notes.warn(`${key} is neither true nor false; the default counts.`);
    return whenAbsent;
  }

  choice<Choice extends string | boolean, Default extends Choice | undefined>(
    key: string,
    choices: readonly Choice[],
    whenAbsent: Default,
  ): Choice | Default {
    const warn = (problem: string): void =>
      this.notes.warn(`${key} ${problem}; the default counts.`);
    return this.#oneOf(key, choices, warn) ?? whenAbsent;
  }

  /** @throws EntryFault for anything but the choices */
  right<Choice extends string | boolean, Default extends Choice | undefined>(
    key: string,
    choices: readonly Choice[],
    whenAbsent: Default,
  ): Choice | Default {
    const refuse = (problem: string): never => {
      throw new EntryFault(`has ${key} that ${problem}`);
    };
    return this.#oneOf(key, choices, refuse) ?? whenAbsent;
  }

  /** @throws EntryFault for anything but a list of texts */
  list(key: string): readonly string[] | undefined {
    const value = this.#valueOf(key);
    return value === undefined ? undefined : readStrings(value, key);
  }

  table(key: string): Table | undefined {
    const value = this.#valueOf(key);
    if (value === undefined || isTable(value)) return value;
    this.notes.warn(`${key} is no table; it is ignored.`);
    return undefined;
  }

  /** Undefined when it is absent, or none of them: then `onOther` is told. */
  #oneOf<Choice extends string | boolean>(
    key: string,
    choices: readonly Choice[],
    onOther: (problem: string) => void,
  ): Choice | undefined {
    const value = this.#valueOf(key);
    const found = choices.find((choice) => choice === value);
    if (value !== undefined && found === undefined) onOther(`is none of ${choices.join(", ")}`);
    return found;
  }

  /** JSON says null of what is absent. */
  #valueOf(key: string): unknown {
    return this.entry[key] ?? undefined;
  }
}
