import { isAbsolute, join } from "node:path";

/**
 * A project file's permission for a key. A project is written by others:
 * `never` ignores it there, `narrow` lets it only take away, `set` lets it choose freely.
 */
export type ProjectPolicy = "never" | "narrow" | "set";

export type ConfigValue = string | number | boolean;

/** One key, for parsing, `config list` and the README table. */
export interface ConfigKey<T extends ConfigValue = ConfigValue> {
  readonly name: string;
  readonly type: ValueType<T>;
  readonly default?: T;
  readonly unit?: string;
  readonly help: string;
  readonly project: ProjectPolicy;
  /** Whether `value` only takes away from `current`, for `narrow`; absent: only switching off does. */
  isNarrower?(value: T, current: T): boolean;
  /** The strictest value, used in place of an invalid one: a typo must not widen anything. */
  readonly whenBad?: string;
  /** The bare name is read from the environment too, besides `SCORPIOX_<name>`, if its value parses. */
  readonly published: boolean;
  /** Levels are merged by the reader of the key: an empty value overrides no weaker one. */
  readonly isEachLevels?: boolean;
}

/** How the text of a value becomes a value. `parse` returns undefined for an invalid text. */
export interface ValueType<T> {
  readonly name: string;
  /** The valid values, as they complete "… must be". */
  readonly allowed: string;
  /** `homeDir` replaces a leading `~`. */
  parse(text: string, homeDir: string): T | undefined;
}

const booleanWords: ReadonlyMap<string, boolean> = new Map([
  ["1", true],
  ["true", true],
  ["yes", true],
  ["on", true],
  ["0", false],
  ["false", false],
  ["no", false],
  ["off", false],
]);

/** `1 true yes on` and `0 false no off` in any case. */
export function parseBoolean(text: string): boolean | undefined {
  return booleanWords.get(text.toLowerCase());
}

export const booleanValue: ValueType<boolean> = {
  name: "boolean",
  allowed: "one of 1, true, yes, on, 0, false, no, off",
  parse: parseBoolean,
};

/** One of a few words, in any case. */
export function choiceValue<Choice extends string>(
  name: string,
  choices: readonly Choice[],
): ValueType<Choice> {
  return {
    name,
    // Read by messages alone: the first `join` takes a start 85 µs.
    get allowed() {
      return `one of ${choices.join(", ")}`;
    },
    parse: (text) => choices.find((choice) => choice === text.toLowerCase()),
  };
}

/** A whole number from `min` to `max`, or 0 where 0 has a meaning of its own. */
export function integerValue(min: number, max: number, zeroMeans?: string): ValueType<number> {
  const zero = zeroMeans === undefined ? "" : `, or 0 (${zeroMeans})`;
  return {
    name: "integer",
    allowed: `a whole number from ${min} to ${max}${zero}`,
    parse(text) {
      if (!/^\d{1,15}$/.test(text)) return undefined;
      const number = Number(text);
      if (number === 0 && zeroMeans !== undefined) return 0;
      return number >= min && number <= max ? number : undefined;
    },
  };
}

/** Absolute, so that a value means the same file from wherever the server was started. */
export const pathValue: ValueType<string> = {
  name: "path",
  allowed: "an absolute path, or one that begins with ~/",
  parse(text, homeDir) {
    if (text.includes("\0")) return undefined;
    const path = text.startsWith("~/") ? join(homeDir, text.slice(2)) : text;
    return isAbsolute(path) ? path : undefined;
  },
};

const profileNameCharsMax = 64;

/** A file name without a path, so that a profile is never looked for outside its folders. */
export const profileNameValue: ValueType<string> = {
  name: "profile name",
  allowed: `a profile's name: at most ${profileNameCharsMax} letters, digits, "-", "_", " " or ".", not beginning with "."`,
  parse(text) {
    if (text === "") return "";
    const isName =
      text.length <= profileNameCharsMax && /^[\p{L}\p{N}_-][\p{L}\p{N}_. -]*$/u.test(text);
    return isName && !text.includes("..") ? text : undefined;
  },
};

/** The parts of a comma-separated value, trimmed; empty ones are dropped. */
export function listParts(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Absolute, so that a list means the same folders from wherever the server was started. */
export const pathListValue: ValueType<string> = {
  name: "path list",
  allowed: "absolute paths, or ones that begin with ~/, with commas between",
  parse(text, homeDir) {
    const paths = listParts(text).map((path) =>
      path.startsWith("~/") ? join(homeDir, path.slice(2)) : path,
    );
    const areUsable = paths.every((path) => isAbsolute(path) && !path.includes("\0"));
    return areUsable ? paths.join(",") : undefined;
  },
};
