import { readFileSync, statSync } from "node:fs";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { importFileBytesMax } from "../../base/upstream-limits.ts";
import { byteOrderMark } from "../../config/env-file.ts";
import { entriesOfJson, isTable, type RawEntry } from "../config/json-shapes.ts";
import { parseForeignText } from "./parse-foreign-text.ts";

/**
 * The servers in a file of another client; undefined when there is no such file.
 * @param projectDir whose servers count in files that keep them by project
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
    // A pipe in its place would be waited for.
    if (!stats.isFile()) throw new AppError("config", `${file} is no file.`);
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

/** Settings files hold servers below one key among many others. */
function entriesIn(root: unknown): readonly RawEntry[] {
  if (!isTable(root)) return rawEntries(root);
  const { mcp, extensions } = root;
  const own = rawEntries(root);
  if (own.length > 0) return own;
  // VS Code's settings have `mcp.servers`; OpenCode and Crush have the servers in `mcp` itself.
  if (isTable(mcp)) return isTable(mcp.servers) ? rawEntries(mcp) : tableEntries(mcp);
  return isTable(extensions) ? tableEntries(extensions) : [];
}

function rawEntries(root: unknown): readonly RawEntry[] {
  const found = entriesOfJson(root);
  return found.kind === "entries" ? found.entries : [];
}

function tableEntries(table: Readonly<Record<string, unknown>>): readonly RawEntry[] {
  return Object.entries(table).flatMap(([name, value]) =>
    isTable(value) ? [{ name, value }] : [],
  );
}

/** Claude Code keeps the servers of one user in one project here. */
function projectPart(root: unknown, projectDir: string | undefined): unknown {
  const projects = isTable(root) ? root.projects : undefined;
  return isTable(projects) && projectDir !== undefined && Object.hasOwn(projects, projectDir)
    ? projects[projectDir]
    : undefined;
}
