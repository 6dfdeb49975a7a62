import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { AppError } from "../base/errors.ts";
import { isObject } from "../base/values.ts";
import { nearestName, suggestionFor } from "../config/nearest-name.ts";
import { quoteValue } from "../config/problems.ts";
import { readOwnTextFile } from "../config/read-text-file.ts";
import type { ConfigEntry, ConfigSource } from "../config/resolution.ts";
import { parseBoolean } from "../config/value-types.ts";
import { parseToml } from "../upstream/config/parse-server-file.ts";
import type { CommandIo, ParsedArguments } from "./command-io.ts";
import { sourceText } from "./config-file-scope.ts";
import { type HttpFlag, httpFlags, httpKeyOf, httpVariableOf } from "./http-flags.ts";

/** A flag's value and where it was found. A switch has the one text `true`. */
interface HttpValue {
  readonly texts: readonly string[];
  readonly source: ConfigSource;
}

/** The settings of `serve --http` from its flags, the environment and `http.toml`, in this order of priority. */
export class HttpValues {
  constructor(private readonly values: ReadonlyMap<string, HttpValue>) {}

  has(flag: string): boolean {
    return this.values.has(flag);
  }

  text(flag: string): string | undefined {
    return this.values.get(flag)?.texts.at(-1);
  }

  list(flag: string): readonly string[] {
    return this.values.get(flag)?.texts ?? [];
  }

  /** The flag as its source writes it, for messages: `--path`, `HTTP_PATH`, or `path in /etc/http.toml`. */
  nameOf(flag: string): string {
    const { variable, file } = this.values.get(flag)?.source ?? {};
    if (variable !== undefined) return variable;
    return file === undefined ? `--${flag}` : `${httpKeyOf(flag)} in ${file}`;
  }

  /** The flag as `nameOf` gives it, with the value. */
  shown(flag: string): string {
    const isFlag = this.values.get(flag)?.source.level === "flag";
    return `${this.nameOf(flag)}${isFlag ? " " : " = "}${this.list(flag).join(", ")}`;
  }

  /** Every value with its source, in the order of the flags. */
  entries(): readonly ConfigEntry[] {
    return Object.keys(httpFlags).flatMap((flag) => {
      const value = this.values.get(flag);
      if (value === undefined) return [];
      return [
        { key: httpKeyOf(flag), value: value.texts.join(", "), source: value.source, use: "used" },
      ];
    });
  }

  /** The values that no flag has set, for `--verbose`. */
  lines(): readonly string[] {
    return this.entries()
      .filter(({ source }) => source.level !== "flag")
      .map(({ key, value, source }) => `${key} = ${value} (${sourceText(source)})`);
  }
}

/**
 * Reads all three places; of a flag the strongest is used, lists are not joined.
 * @throws AppError `usage` for a variable and `config` for a file that cannot be used, by the name of the key
 */
export function readHttpValues(
  args: ParsedArguments,
  io: CommandIo,
  scorpioxDir: string,
): HttpValues {
  const environment = variablesOf(io.env);
  const values = new Map([
    ...fileValues(httpFileOf(environment, io, scorpioxDir), io.homeDir),
    ...environmentValues(environment, io.homeDir),
  ]);
  for (const flag of Object.keys(httpFlags)) {
    if (!args.has(flag)) continue;
    const texts = textsOfFlag(flag, args);
    // `--http` alone: the address is that of the other places.
    if (texts.at(-1) !== "") values.set(flag, { texts, source: { level: "flag" } });
  }
  return new HttpValues(values);
}

function textsOfFlag(flag: string, args: ParsedArguments): readonly string[] {
  const { kind, isSwitchToo } = httpFlags[flag] ?? {};
  if (kind === "switch") return ["true"];
  const texts = args.list(flag);
  return isSwitchToo === true ? texts.map((text) => (text === "" ? "true" : text)) : texts;
}

/** The variables that are not empty by their names in capitals: Windows does not tell them from small letters. */
function variablesOf(env: CommandIo["env"]): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const [name, value = ""] of Object.entries(env)) {
    const text = value.trim();
    if (text !== "" && /^(?:SCORPIOX_)?HTTP_/i.test(name)) variables.set(name.toUpperCase(), text);
  }
  return variables;
}

const prefix = "SCORPIOX_";
const configVariable = "HTTP_CONFIG";
/** Variables of other programs. */
const foreignVariables: ReadonlySet<string> = new Set(["HTTP_PROXY"]);

interface HttpFile {
  readonly file: string;
  /** The variable that names it: then it must exist. */
  readonly variable?: string;
}

/** The file of the settings: the one that HTTP_CONFIG names, else `http.toml` in `scorpioxDir`. */
function httpFileOf(
  environment: ReadonlyMap<string, string>,
  { cwd, homeDir }: CommandIo,
  scorpioxDir: string,
): HttpFile {
  const variable = [`${prefix}${configVariable}`, configVariable].find((name) =>
    environment.has(name),
  );
  if (variable === undefined) return { file: join(scorpioxDir, "http.toml") };
  return { file: pathIn(cwd, environment.get(variable) ?? "", homeDir), variable };
}

function pathIn(folder: string, path: string, homeDir: string): string {
  return path.startsWith("~/") ? join(homeDir, path.slice(2)) : resolve(folder, path);
}

function environmentValues(
  environment: ReadonlyMap<string, string>,
  homeDir: string,
): [string, HttpValue][] {
  refuseUnknownVariables(environment);
  return Object.entries(httpFlags).flatMap(([flag, spec]): [string, HttpValue][] => {
    const bare = httpVariableOf(flag);
    const variable = [`${prefix}${bare}`, bare].find((name) => environment.has(name));
    if (variable === undefined) return [];
    const texts = textsOfVariable(spec, environment.get(variable) ?? "", homeDir);
    if (typeof texts === "string") throw new AppError("usage", `${variable} ${texts}.`);
    if (texts.length === 0) return [];
    return [[flag, { texts, source: { level: "environment", variable } }]];
  });
}

/**
 * A variable with the prefix of scorpiox-code that nothing reads is a mistake, and so is one without it that resembles one that is
 * read; others belong to other programs.
 */
function refuseUnknownVariables(environment: ReadonlyMap<string, string>): void {
  const known = [...Object.keys(httpFlags).map(httpVariableOf), configVariable];
  for (const name of environment.keys()) {
    const bare = name.replace(prefix, "");
    if (known.includes(bare) || foreignVariables.has(name)) continue;
    const parts = known.map((variable) => variable.slice("HTTP_".length));
    const nearest = nearestName(bare.slice("HTTP_".length), parts);
    if (bare === name && nearest === undefined) continue;
    const hint = nearest === undefined ? "" : ` Did you mean HTTP_${nearest}?`;
    throw new AppError(
      "usage",
      `${name} in the environment is not a setting of serve --http.${hint}`,
    );
  }
}

/** The texts of a variable, or its fault. None: a switch that is off. */
function textsOfVariable(
  spec: HttpFlag,
  text: string,
  homeDir: string,
): readonly string[] | string {
  const isOn = parseBoolean(text);
  if (spec.isSwitchToo === true && isOn !== undefined) return isOn ? ["true"] : [];
  if (spec.kind === "switch") {
    if (isOn === undefined) return `is ${quoteValue(text)}: it must be true or false`;
    return isOn ? ["true"] : [];
  }
  if (spec.kind === "list") return text.split(/[\s,]+/).filter((part) => part !== "");
  const value = spec.isPath === true && text.startsWith("~/") ? pathIn("/", text, homeDir) : text;
  return faultOfChoice(spec, value) ?? [value];
}

function faultOfChoice({ choices }: HttpFlag, text: string): string | undefined {
  if (choices === undefined || choices.includes(text)) return undefined;
  return `is ${quoteValue(text)}: it must be one of ${choices.join(", ")}`;
}

function fileValues(place: HttpFile, homeDir: string): [string, HttpValue][] {
  const { file } = place;
  const table = readTable(place);
  const flags = new Map(Object.keys(httpFlags).map((flag) => [httpKeyOf(flag), flag]));
  return Object.entries(table).flatMap(([key, value]): [string, HttpValue][] => {
    const flag = flags.get(key);
    const spec = flag === undefined ? undefined : httpFlags[flag];
    if (flag === undefined || spec === undefined) {
      const hint = suggestionFor(key, flags.keys());
      throw new AppError("config", `${file}: there is no key ${quoteValue(key)}.${hint}`);
    }
    const texts = textsOfKey(spec, value);
    if (typeof texts === "string") throw new AppError("config", `${file}: ${key} ${texts}.`);
    if (texts.length === 0) return [];
    const paths = texts.map((text) => (text === "-" ? text : pathIn(dirname(file), text, homeDir)));
    const source = { level: "config-file", file } as const;
    return [[flag, { texts: spec.isPath === true ? paths : texts, source }]];
  });
}

/**
 * The file decides who may connect, so nobody else may write it: not the group either, as for approvals.
 * @throws AppError `config`
 */
function readTable({ file, variable }: HttpFile): Readonly<Record<string, unknown>> {
  const content = readOwnTextFile(file);
  if (content.kind === "absent") {
    if (variable === undefined) return {};
    throw new AppError("config", `${variable} names ${file}, which does not exist.`);
  }
  if (content.kind === "unusable") throw new AppError("config", `${file} ${content.reason}.`);
  if (process.platform !== "win32" && (statSync(file).mode & 0o022) !== 0) {
    const text = `${file} may be written by other users, and it decides who may connect: chmod go-w ${file}`;
    throw new AppError("config", text);
  }
  const parsed = parseToml(content.text);
  if (parsed.kind === "value" && isObject(parsed.value)) return parsed.value;
  const fault = parsed.kind === "fault" ? parsed : { text: "it is not a table", place: undefined };
  const line = fault.place === undefined ? "" : `:${fault.place.line}`;
  throw new AppError("config", `${file}${line} is not valid TOML: ${fault.text}.`);
}

/** The texts of a value in the file, or its fault. None: a switch that is off. */
function textsOfKey(spec: HttpFlag, value: unknown): readonly string[] | string {
  if (spec.kind === "switch" || (spec.isSwitchToo === true && typeof value === "boolean")) {
    if (typeof value !== "boolean") return "must be true or false";
    return value ? ["true"] : [];
  }
  if (spec.kind === "list") {
    const isList = Array.isArray(value) && value.every(isText);
    return isList ? value : 'must be a list of texts, such as ["a", "b"]';
  }
  if (spec.isTable === true && isObject(value)) return textOfTable(value);
  if (typeof value === "number" && Number.isInteger(value)) return textsOfKey(spec, `${value}`);
  return isText(value) ? (faultOfChoice(spec, value) ?? [value]) : "must be a text in quotes";
}

/** `name=value` parts with commas between them, as the flag takes them; or the fault. */
function textOfTable(table: Readonly<Record<string, unknown>>): readonly string[] | string {
  const parts = Object.entries(table).map(([name, part]) =>
    isText(part) && !part.includes(",") ? `${name}=${part}` : undefined,
  );
  return parts.includes(undefined) ? "must have texts in quotes" : [parts.join(",")];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/[\0\r\n]/.test(value);
}
