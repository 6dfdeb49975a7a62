import { statSync } from "node:fs";
import { dirname, join } from "node:path";

import { isObject } from "../../base/values.ts";
import type { ConfigDirs } from "../../config/places.ts";
import { type ProblemList, quoteValue } from "../../config/problems.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import { parseToml, type Table } from "./parse-server-file.ts";
import type { ToolRule } from "./server-entry.ts";
import { parseToolRules } from "./server-keys.ts";

/** The administrator's rules for upstream servers; they override those of users and projects (TR8). */
export interface ManagedRules {
  /** False: nobody on this machine may use upstream servers. */
  readonly isOn: boolean;
  readonly rules: readonly ToolRule[];
}

const freely: ManagedRules = { isOn: true, rules: [] };

const keys = ["enabled", "allow", "deny"];

/**
 * Reads `[mcp]` of the administrator's file. A file that is absent, or that everybody may write, sets no rules. A file
 * that cannot be used may have denied anything: until it is fixed, all tools of upstream servers are blocked. Never
 * throws.
 */
export function readManagedRules(file: string, problems: ProblemList): ManagedRules {
  const content = readTextFile(file);
  if (content.kind === "absent") return freely;
  if (mayBeWrittenByAll(file)) {
    problems.warn({ file }, "everybody may write this file or its folder; its rules are ignored.");
    return freely;
  }
  const table =
    content.kind === "text" ? readManagedTable(content.text) : fault(`this file ${content.reason}`);
  if (table.kind === "fault") {
    const end = "tools of MCP servers are blocked until this is fixed";
    problems.warn({ file, line: table.line }, `${table.what}; ${end}.`);
    return { isOn: true, rules: [{ effect: "deny", glob: "*", trust: "managed", file }] };
  }
  for (const name of table.unknownNames) {
    problems.warn({ file }, `${name} is ignored: only mcp.${keys.join(", mcp.")} are used here.`);
  }
  const { isOn, allow, deny } = table;
  const allows = allow === undefined ? [] : rulesOf(allow, "allow", file);
  return { isOn, rules: [...rulesOf(deny, "deny", file), ...allows] };
}

/** `[mcp]` as written, with every key of the right type. */
interface ManagedTable {
  readonly kind: "table";
  readonly isOn: boolean;
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
  readonly unknownNames: readonly string[];
}

interface Fault {
  readonly kind: "fault";
  readonly what: string;
  readonly line: number | undefined;
}

function readManagedTable(toml: string): ManagedTable | Fault {
  const parsed = parseToml(toml);
  if (parsed.kind === "fault") {
    const { place, text } = parsed;
    return fault(`${place === undefined ? "" : `column ${place.column}: `}${text}`, place?.line);
  }
  const root = isObject(parsed.value) ? parsed.value : {};
  const { mcp = {} } = root;
  if (!isObject(mcp)) return fault("mcp must be a table");
  const { enabled = true, allow, deny = [] } = mcp;
  if (typeof enabled !== "boolean") return fault("mcp.enabled must be true or false");
  if (!isTextList(deny)) return fault("mcp.deny must be a list of strings");
  if (allow !== undefined && !isTextList(allow))
    return fault("mcp.allow must be a list of strings");
  return { kind: "table", isOn: enabled, allow, deny, unknownNames: unknownNames(root, mcp) };
}

function fault(what: string, line?: number): Fault {
  return { kind: "fault", what, line };
}

/** The rules of one list; an empty allow list allows nothing. */
function rulesOf(
  list: readonly string[],
  effect: ToolRule["effect"],
  file: string,
): readonly ToolRule[] {
  const rules = list.flatMap((text) => parseToolRules(text, effect, "managed"));
  const nothing: ToolRule = { effect, glob: "", trust: "managed" };
  const counting = effect === "allow" && rules.length === 0 ? [nothing] : rules;
  return counting.map((rule) => ({ ...rule, file }));
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** A misspelled key sets no rule, so it is reported. */
function unknownNames(root: Table, mcp: Table): readonly string[] {
  const inside = Object.keys(mcp).filter((key) => !keys.includes(key));
  return [
    ...Object.keys(root).filter((key) => key !== "mcp"),
    ...inside.map((key) => `mcp.${key}`),
  ].map(quoteValue);
}

/** Anyone who can write the rules can set them. Windows has no such bit. */
function mayBeWrittenByAll(file: string): boolean {
  if (process.platform === "win32") return false;
  try {
    return [file, dirname(file)].some((path) => (statSync(path).mode & 0o002) !== 0);
  } catch {
    // It was removed in the meantime, or cannot be inspected: the next reader reports it.
    return false;
  }
}

/**
 * The file in which the administrator restricts upstream servers. Its path is fixed for each system: with an
 * environment variable, `%ProgramData%` included, the users whom the rules restrict could move it.
 */
export function managedFileOf(
  { machineDir }: Pick<ConfigDirs, "machineDir">,
  platform: NodeJS.Platform = process.platform,
): string {
  return join(machineDir ?? machineDirs[platform] ?? "/etc/scorpiox", "config.toml");
}

const machineDirs: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "/Library/Application Support/scorpiox",
  win32: "C:\\ProgramData\\scorpiox",
};
