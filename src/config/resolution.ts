import { activeProfileKey, configKeys, findConfigKey } from "./keys.ts";
import { suggestionFor } from "./nearest-name.ts";
import type { ConfigLevel } from "./places.ts";
import { type PlaceOfProblem, type ProblemList, quoteValue } from "./problems.ts";
import type { ConfigKey, ConfigValue } from "./value-types.ts";

/** Where a value came from. */
export interface ConfigSource {
  readonly level: ConfigLevel;
  readonly file?: string;
  readonly line?: number;
  /** The environment variable. */
  readonly variable?: string;
}

/** A key and its value in effect. */
export interface ConfigEntry {
  readonly key: string;
  readonly value: string;
  readonly source: ConfigSource;
  /** `unknown`: probably a mistake, without effect. */
  readonly use: "used" | "unknown";
}

/** One assignment of a value, before it is accepted or refused. */
export interface Assignment {
  readonly key: string;
  readonly value: string;
  readonly source: ConfigSource;
  /** The text is a project's: the key's project policy applies. */
  readonly fromProject: boolean;
  /** Any user may have written it: it has a project's permissions. */
  readonly isOpen?: boolean;
}

interface Resolved {
  /** As written: its key's `parse` accepts it. */
  readonly text: string;
  readonly source: ConfigSource;
  /** The configured value is invalid: this is the strictest value in its place. */
  readonly isStandIn?: true;
}

/** The values in effect so far: assignments are applied weakest first, a refused one changes nothing. */
export class Resolution {
  readonly #resolved = new Map<string, Resolved>();
  readonly #unused = new Map<string, ConfigEntry>();

  constructor(
    readonly homeDir: string,
    readonly problems: ProblemList,
  ) {}

  apply(assignment: Assignment): void {
    const key = findConfigKey(assignment.key);
    if (key === undefined) return this.#keepUnused(assignment);
    const value = key.type.parse(assignment.value, this.homeDir);
    if (value === undefined) return this.#applyBad(assignment, key);
    if (key.isEachLevels === true && value === "") return;
    const refusal = this.#refusalOf(assignment, key, value);
    if (refusal !== undefined) return this.#refuse(assignment, refusal);
    this.#resolved.set(key.name, { text: assignment.value, source: assignment.source });
  }

  /** The value in effect, or the default. */
  valueOf<T extends ConfigValue>(key: ConfigKey<T>): T | undefined {
    const resolved = this.#resolved.get(key.name);
    return resolved === undefined ? key.default : key.type.parse(resolved.text, this.homeDir);
  }

  /** The resolved value of each key: its source is `default` when nothing set it. Keys without a value are left out. */
  entries(): ConfigEntry[] {
    const entries: ConfigEntry[] = [];
    for (const key of configKeys.values()) {
      const value = this.valueOf(key);
      if (value === undefined) continue;
      const source = this.#resolved.get(key.name)?.source ?? { level: "default" };
      entries.push({ key: key.name, value: String(value), source, use: "used" });
    }
    for (const [name, { source }] of this.#resolved) {
      const key = configKeys.has(name) ? undefined : findConfigKey(name);
      if (key === undefined) continue;
      entries.push({ key: name, value: String(this.valueOf(key)), source, use: "used" });
    }
    return [...entries, ...this.#unused.values()];
  }

  /** The strictest values, used because the configured ones are invalid. */
  standIns(): ConfigEntry[] {
    const standIns: ConfigEntry[] = [];
    for (const [key, { text, source, isStandIn }] of this.#resolved)
      if (isStandIn === true) standIns.push({ key, value: text, source, use: "used" });
    return standIns;
  }

  #refusalOf(assignment: Assignment, key: ConfigKey, value: ConfigValue): string | undefined {
    if (key === activeProfileKey && assignment.source.level === "profile") {
      return `${key.name} is refused: a profile cannot choose a profile.`;
    }
    const { fromProject, isOpen = false } = assignment;
    if (isOpen) return refusalOfProject(key, this.valueOf(key), value, "a file for everybody");
    return fromProject ? refusalOfProject(key, this.valueOf(key), value) : undefined;
  }

  #applyBad(assignment: Assignment, key: ConfigKey): void {
    const { value, source } = assignment;
    const { whenBad } = key;
    if (whenBad === undefined) return this.#refuse(assignment, refusalOfValue(key, value));
    this.#refuse(assignment, `${refusalOfValue(key, value)} Using ${whenBad} instead.`);
    this.#resolved.set(key.name, { text: whenBad, source, isStandIn: true });
  }

  #refuse(assignment: Assignment, text: string): void {
    this.problems.warn(placeOf(assignment.source), text, assignment.key);
  }

  #keepUnused({ key, value, source }: Assignment): void {
    this.#unused.set(key, { key, value, source, use: "unknown" });
    const place = placeOf(source);
    if (!this.problems.hasRoom(place.file)) return;
    const suggestion = suggestionFor(key, configKeys.keys());
    this.problems.warn(
      place,
      `${key} is not a key of this version; it is ignored.${suggestion}`,
      key,
    );
  }
}

/** Why `text` is not a value of `key`: also the error of `config set`. */
export function refusalOfValue(key: ConfigKey, text: string): string {
  const unit = key.unit === undefined ? "" : ` (${key.unit})`;
  const hint = /^["']/.test(text) ? " Write it without quotes." : "";
  return `${key.name}=${quoteValue(text)} is refused: it must be ${key.type.allowed}${unit}.${hint}`;
}

/**
 * Why a project's file may not give `key` this `value`, or undefined when it may. Narrowing a switch means turning it off;
 * repeating the value in effect is always allowed.
 */
export function refusalOfProject(
  key: ConfigKey,
  current: ConfigValue | undefined,
  value: ConfigValue,
  what = "a project's file",
): string | undefined {
  if (key.project === "set") return undefined;
  if (key.project === "narrow") {
    if (value === false || value === current) return undefined;
    const held = current ?? key.default;
    if (key.isNarrower !== undefined && held !== undefined) {
      if (key.isNarrower(value, held)) return undefined;
      return `${key.name} is refused: ${what} may only make it stricter. Set it in your own file.`;
    }
    return `${key.name} is refused: ${what} may only switch it off. Set it in your own file.`;
  }
  return key === activeProfileKey
    ? `${key.name} is refused: ${what} may not choose the profile.`
    : `${key.name} is refused: ${what} may not set it. Set it in your own file.`;
}

function placeOf(source: ConfigSource): PlaceOfProblem {
  return { file: source.file, line: source.line, name: source.variable };
}
