import { AppError } from "../base/errors.ts";
import { product } from "../base/product.ts";
import { suggestionFor } from "../config/nearest-name.ts";

/** One flag: what it takes, what it means. Parsing and help both come from here. */
interface FlagSpec {
  /** `switch` takes no value; of a `text` the last one counts; a `list` keeps all. */
  readonly kind: "switch" | "text" | "list";
  readonly help: string;
  /** How help writes the value. */
  readonly placeholder?: string;
  /** The only values allowed. */
  readonly choices?: readonly string[];
}

/** By name without dashes. */
export type FlagTable = Readonly<Record<string, FlagSpec>>;

/** Every command has it. */
export const helpFlag: FlagTable = { help: { kind: "switch", help: "Show this help." } };

/** The flags and arguments of one command line. */
export class ParsedArguments {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(
    values: ReadonlyMap<string, readonly string[]>,
    readonly positionals: readonly string[],
  ) {
    this.#values = values;
  }

  has(flag: string): boolean {
    return this.#values.has(flag);
  }

  text(flag: string): string | undefined {
    return this.#values.get(flag)?.at(-1);
  }

  list(flag: string): readonly string[] {
    return this.#values.get(flag) ?? [];
  }
}

/**
 * Reads `--flag`, `--flag value`, `--flag=value`, `-h` and arguments; everything after `--` is an argument.
 * @param explainedBy the command that explains the flags
 * @param hint said of a flag that is not known, after a blank
 * @throws {AppError} `usage`, naming the flag.
 */
export function parseArguments(
  args: readonly string[],
  table: FlagTable,
  explainedBy = `${product.name} help`,
  hint = "",
): ParsedArguments {
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    if (argument === "--") {
      positionals.push(...args.slice(index + 1));
      break;
    }
    if (!argument.startsWith("-") || argument === "-") {
      positionals.push(argument);
      continue;
    }
    const flag = readFlag(argument, table, `${hint} See: ${explainedBy}`);
    if (flag.needsValue) index++;
    const value = flag.needsValue ? args[index] : flag.value;
    values.set(flag.name, [...(values.get(flag.name) ?? []), checkValue(flag, value)]);
  }
  return new ParsedArguments(values, positionals);
}

interface WrittenFlag {
  readonly name: string;
  readonly spec: FlagSpec;
  readonly value: string | undefined;
  /** Its value is the next argument. */
  readonly needsValue: boolean;
}

function readFlag(argument: string, table: FlagTable, advice: string): WrittenFlag {
  const equals = argument.indexOf("=");
  const written = equals === -1 ? argument : argument.slice(0, equals);
  const name = written === "-h" ? "help" : written.slice(2);
  const spec = written === "-h" || written.startsWith("--") ? specOf(name, table) : undefined;
  if (spec === undefined) {
    const suggestion = suggestionFor(
      written,
      Object.keys(table).map((flag) => `--${flag}`),
    );
    throw new AppError("usage", `There is no flag ${written} here.${suggestion}${advice}`);
  }
  const value = equals === -1 ? undefined : argument.slice(equals + 1);
  if (spec.kind === "switch" && value !== undefined) {
    throw new AppError("usage", `--${name} takes no value.`);
  }
  return { name, spec, value, needsValue: spec.kind !== "switch" && value === undefined };
}

function specOf(name: string, table: FlagTable): FlagSpec | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function checkValue({ name, spec }: WrittenFlag, value: string | undefined): string {
  if (spec.kind === "switch") return "";
  if (value === undefined || value === "") {
    throw new AppError(
      "usage",
      `--${name} needs a value: --${name} ${spec.placeholder ?? "VALUE"}`,
    );
  }
  if (spec.choices !== undefined && !spec.choices.includes(value)) {
    const allowed = spec.choices.join(", ");
    throw new AppError("usage", `--${name} ${value} is not possible: it takes ${allowed}.`);
  }
  return value;
}
