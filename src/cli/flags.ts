import { AppError } from "../base/errors.ts";
import { product } from "../base/product.ts";
import { suggestionFor } from "../config/nearest-name.ts";
import {
  parseToolFormat,
  type ToolFormat,
  toolFormats,
} from "../upstream/adapters/tool-formats.ts";
import { ParsedArguments } from "./command-io.ts";
import { changeModes, deferModes } from "./start-up.ts";

/** One flag: what it takes, what it means. Parsing and help both come from here. */
export interface FlagSpec {
  /** `switch` takes no value; of a `text` the last one is used; a `list` keeps all. */
  readonly kind: "switch" | "text" | "list";
  readonly help: string;
  /** How help writes the value. */
  readonly placeholder?: string;
  /** The only values allowed. */
  readonly choices?: readonly string[];
  /** One letter: `e` for `-e`. */
  readonly short?: string;
  /** True for a `text` that may be given without a value, which then is empty. Not for commands that take arguments. */
  readonly mayBeBare?: boolean;
  /** For a list: arguments that follow a value and match are values too, as in `--env A=1 B=2`. */
  readonly more?: RegExp;
  /** Values that other programs or older versions use, and the choice that each means. Help does not list them. */
  readonly oldChoices?: Readonly<Record<string, string>>;
  /** Other names of the flag, each with the values that mean something else under it. Help does not list them. */
  readonly oldNames?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Flags by their names, without dashes. */
export type FlagTable = Readonly<Record<string, FlagSpec>>;

/** Every command has them. */
export const everyFlag: FlagTable = {
  verbose: {
    kind: "switch",
    short: "v",
    help: "Say on stderr which files and folders are read, what is started, and how long it takes.",
  },
  help: { kind: "switch", short: "h", help: "Show this help." },
};

/** How to parse a command's line. */
export interface ParseOptions {
  /** The command that explains the flags. */
  readonly explainedBy?: string;
  /** A hint added to the error about an unknown flag. */
  readonly hint?: string;
  /**
   * Whether the arguments so far begin a command of the user's: a flag that is not known is then that command's, and so is all
   * behind it.
   */
  beginsCommand?(this: void, positionals: readonly string[]): boolean;
}

/**
 * Reads `--flag`, `--flag value`, `--flag=value`, `-f value` and arguments; everything after `--` is an argument.
 * @throws {AppError} `usage`, naming the flag.
 */
export function parseArguments(
  args: readonly string[],
  table: FlagTable,
  options: ParseOptions = {},
): ParsedArguments {
  const { explainedBy = `${product.name} help`, hint = "" } = options;
  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  const rest = [...args];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    if (argument === "--") {
      return new ParsedArguments(values, [...positionals, ...rest], positionals.length);
    }
    if (!isFlag(argument)) {
      positionals.push(argument);
      continue;
    }
    const name = nameOf(argument, table);
    // `docker run -v` is meant for docker.
    const isForeign = name === undefined || table[name] === everyFlag.verbose;
    if (isForeign && options.beginsCommand?.(positionals) === true) {
      return new ParsedArguments(values, [...positionals, argument, ...rest]);
    }
    const flag = readFlag(argument, table, `${hint} See: ${explainedBy}`);
    values.set(flag.name, [...(values.get(flag.name) ?? []), ...takeValues(flag, rest)]);
  }
  return new ParsedArguments(values, positionals);
}

/** A lone `-` is an argument. */
function isFlag(argument: string): boolean {
  return argument.startsWith("-") && argument !== "-";
}

interface WrittenFlag {
  readonly name: string;
  /** Without its dashes. */
  readonly written: string;
  readonly spec: FlagSpec;
  readonly value: string | undefined;
  /** Its value is the next argument. */
  readonly needsValue: boolean;
}

function readFlag(argument: string, table: FlagTable, advice: string): WrittenFlag {
  const equals = argument.indexOf("=");
  const written = equals === -1 ? argument : argument.slice(0, equals);
  const name = nameOf(argument, table);
  const spec = name === undefined ? undefined : specOf(name, table);
  if (name === undefined || spec === undefined) {
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
  const needsValue = spec.kind !== "switch" && value === undefined;
  return { name, written: written.replace(/^-+/, ""), spec, value, needsValue };
}

/** The value of a flag and those of a list that follow; takes from `rest` what is behind the flag. */
function takeValues(flag: WrittenFlag, rest: string[]): readonly string[] {
  const isBare = flag.spec.mayBeBare === true && (rest[0] === undefined || isFlag(rest[0]));
  const values = [checkValue(flag, flag.needsValue && !isBare ? rest.shift() : flag.value)];
  while (flag.spec.more?.test(rest[0] ?? "") === true) values.push(rest.shift() ?? "");
  return values;
}

/** The flag that `--name`, `--name=value` or `-n` means, also by an old name. */
export function nameOf(argument: string, table: FlagTable): string | undefined {
  const [written = ""] = argument.split("=", 1);
  if (written.startsWith("--")) {
    const name = written.slice(2);
    if (specOf(name, table) !== undefined) return name;
    return Object.keys(table).find((known) => Object.hasOwn(table[known]?.oldNames ?? {}, name));
  }
  const letter = written.slice(1);
  return Object.keys(table).find((name) => table[name]?.short === letter);
}

function specOf(name: string, table: FlagTable): FlagSpec | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function checkValue({ name, written, spec }: WrittenFlag, given: string | undefined): string {
  if (spec.kind === "switch") return "";
  const value = presentValue(written, spec, given);
  if (value === undefined || value === "") {
    if (spec.mayBeBare === true) return "";
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

/** The value of today for an old word. */
function presentValue(
  written: string,
  { oldNames = {}, oldChoices = {} }: FlagSpec,
  value: string | undefined,
): string | undefined {
  const words = { ...oldChoices, ...(Object.hasOwn(oldNames, written) && oldNames[written]) };
  return value !== undefined && Object.hasOwn(words, value) ? words[value] : value;
}

/** Flags that say where configuration is looked for. */
export const directoryFlags: FlagTable = {
  cwd: {
    kind: "text",
    placeholder: "DIR",
    help: "Work in this directory instead of the current one.",
  },
};

/** Flags of every command that runs tools or shows what they would run with. */
export const startUpFlags: FlagTable = {
  ...directoryFlags,
  workspace: {
    kind: "text",
    placeholder: "NAME",
    help: "Keep tasks and the plan under this name instead of the path of the workspace folder.",
  },
  config: {
    kind: "list",
    placeholder: "FILE",
    help: "Also read this file of keys or MCP servers; it overrides the project's files. May be repeated.",
  },
  "strict-config": {
    kind: "switch",
    help: "Refuse to start when the configuration has any problem. Only the MCP servers in --config files are used.",
  },
  defer: {
    kind: "text",
    placeholder: "MODE",
    choices: deferModes,
    help: "Whether the tools of MCP servers are found with tool_search instead of being listed. Default: auto, when there are many.",
  },
  "on-change": {
    kind: "text",
    placeholder: "MODE",
    choices: changeModes,
    help: "What to do with a tool of an MCP server that differs from what you approved. Default: block.",
  },
  "trust-project": {
    kind: "switch",
    help: "Start the MCP servers that the project names without asking. Also: SCORPIOX_TRUST_PROJECT=1.",
  },
};

/** The flag `--json` of every command that prints data. */
export const jsonFlag: FlagTable = {
  json: { kind: "switch", help: "Print JSON." },
};

/** The form in which data for programs is printed. */
export const formatFlag: FlagTable = {
  format: {
    kind: "text",
    choices: toolFormats,
    help: "Print JSON in the form of MCP, OpenAI function calling or Anthropic tool use.",
  },
};

/** @throws {AppError} `usage` together with --json */
export function formatOf(args: ParsedArguments): ToolFormat | undefined {
  const format = parseToolFormat(args.text("format"));
  if (format !== undefined && args.has("json")) {
    throw new AppError("usage", "Use --json or --format, not both.");
  }
  return format;
}
