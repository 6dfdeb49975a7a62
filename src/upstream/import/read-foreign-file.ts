import { readFileSync, statSync } from "node:fs";
import { extname } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import {
  importAliasedCharsMax,
  importFileBytesMax,
  importJsonValuesMax,
  importTextBytesMax,
  importTextValuesMax,
} from "../../base/upstream-limits.ts";
import { isObject } from "../../base/values.ts";
import { excessOf } from "../../base/weight.ts";
import { byteOrderMark } from "../../config/env-file.ts";
import {
  entriesOfJson,
  type RawEntry,
  type Table,
  parseJsonc,
  parseToml,
  type ParsedText,
} from "../config/parse-server-file.ts";

/**
 * The servers in a file of another client; undefined when there is no such file.
 * @param projectDir the project to read from files that keep servers by project
 * @throws {AppError} `system`, `config`, `limit` for a file that cannot be used
 */
export function readForeignFile(
  file: string,
  projectDir: string | undefined,
): readonly RawEntry[] | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  const root = parse(file, text.startsWith(byteOrderMark) ? text.slice(1) : text);
  return [...entriesIn(root), ...entriesIn(projectPart(root, projectDir))];
}

function readText(file: string): string | undefined {
  try {
    const stats = statSync(file);
    // Reading a pipe in its place would block.
    if (!stats.isFile()) throw new AppError("config", `${file} is not a file.`);
    if (stats.size > importFileBytesMax) {
      throw new AppError("limit", `${file} is larger than ${importFileBytesMax} bytes.`);
    }
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof AppError) throw error;
    const code = systemCodeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new AppError("system", `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function parse(file: string, text: string): unknown {
  const parsed = parseForeignText(file, text);
  if (parsed.kind === "value") return parsed.value;
  const { place } = parsed;
  const where = place === undefined ? "" : `line ${place.line}, column ${place.column}: `;
  throw new AppError("config", `${file} cannot be read: ${where}${parsed.text}.`);
}

/** The servers of a settings file, which are below one of its many keys. */
function entriesIn(root: unknown): readonly RawEntry[] {
  if (!isObject(root)) return rawEntries(root);
  const { mcp, extensions } = root;
  const own = rawEntries(root);
  if (own.length > 0) return own;
  // VS Code's settings have `mcp.servers`; OpenCode and Crush have the servers in `mcp` itself.
  if (isObject(mcp)) return isObject(mcp.servers) ? rawEntries(mcp) : tableEntries(mcp);
  return isObject(extensions) ? tableEntries(extensions) : [];
}

function rawEntries(root: unknown): readonly RawEntry[] {
  const found = entriesOfJson(root);
  return found.kind === "entries" ? found.entries : [];
}

function tableEntries(table: Table): readonly RawEntry[] {
  return Object.entries(table).flatMap(([name, value]) =>
    isObject(value) ? [{ name, value }] : [],
  );
}

/** The servers of one project in Claude Code's file of the user. */
function projectPart(root: unknown, projectDir: string | undefined): unknown {
  const projects = isObject(root) ? root.projects : undefined;
  return isObject(projects) && projectDir !== undefined && Object.hasOwn(projects, projectDir)
    ? projects[projectDir]
    : undefined;
}

/** Parses a file of another client by the extension of its name. Never throws. */
export function parseForeignText(file: string, text: string): ParsedText {
  switch (extname(file).toLowerCase()) {
    case ".yaml":
    case ".yml":
      return tooMuchIn(text) ?? tooManyAliases(text) ?? parseYaml(text);
    case ".toml":
      return parseToml(text);
    default:
      return parseAnyJson(text);
  }
}

/**
 * Tries the fast parser first: files of clients may hold their whole history, while settings with comments are small.
 */
function parseAnyJson(text: string): ParsedText {
  const bounds = { depthMax: Number.POSITIVE_INFINITY, valuesMax: importJsonValuesMax };
  const excess = excessOf(Buffer.from(text), bounds);
  if (excess !== undefined) return { kind: "fault", text: `it has more than ${excess}` };
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch {
    return tooMuchIn(text) ?? parseJsonc(text).parsed;
  }
}

/** A fault for texts too large for the tolerant parsers, which need ten times the memory. */
function tooMuchIn(text: string): ParsedText | undefined {
  const bytes = Buffer.from(text);
  const bounds = { depthMax: Number.POSITIVE_INFINITY, valuesMax: importTextValuesMax };
  const excess =
    bytes.length > importTextBytesMax ? `${importTextBytesMax} bytes` : excessOf(bytes, bounds);
  return excess === undefined ? undefined : { kind: "fault", text: `it has more than ${excess}` };
}

/** A fault for too many aliases: the parser copies the text for each of them, and each may be as long as the file. */
function tooManyAliases(text: string): ParsedText | undefined {
  const marks = text.match(/\*[^\s*]/g)?.length ?? 0;
  const isTooMuch = marks * text.length > importAliasedCharsMax;
  return isTooMuch
    ? { kind: "fault", text: `it has ${marks} aliases, which may repeat long texts` }
    : undefined;
}

function parseYaml(text: string): ParsedText {
  try {
    const root = Bun.YAML.parse(text);
    const fault = faultOfAliases(root);
    return fault === undefined ? { kind: "value", value: root } : { kind: "fault", text: fault };
  } catch (error) {
    const isDeep = error instanceof RangeError;
    // The parser's message describes the fault without quoting the file.
    const said = error instanceof Error ? error.message.replace(/^YAML Parse error: /, "") : "";
    return { kind: "fault", text: isDeep ? "it is nested too deeply" : `it is not YAML (${said})` };
  }
}

/** A fault for cyclic aliases, and for aliases that expand to too many values or characters to print. */
function faultOfAliases(root: unknown): string | undefined {
  const around = new Set<object>();
  let values = 0;
  let characters = 0;
  const look = (value: unknown): string | undefined => {
    values += 1;
    if (typeof value === "string") characters += value.length;
    if (values > importTextValuesMax) return `it has more than ${importTextValuesMax} values`;
    if (characters > importTextBytesMax) {
      return `its aliases make more than ${importTextBytesMax} characters of it`;
    }
    if (typeof value !== "object" || value === null) return undefined;
    if (around.has(value)) return "it is cyclic: an alias refers to a value that contains it";
    around.add(value);
    for (const [name, part] of Object.entries(value)) {
      characters += name.length;
      const fault = look(part);
      if (fault !== undefined) return fault;
    }
    around.delete(value);
    return undefined;
  };
  return look(root);
}
