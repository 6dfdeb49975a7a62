import { serversPerFileMax } from "../../base/upstream-limits.ts";
import { loadConfig } from "../../config/load-config.ts";
import { mcpAllowKey, mcpDenyKey, mcpServerKey } from "../../config/mcp-keys.ts";
import { ProblemList } from "../../config/problems.ts";
import { launchIdentity } from "./entry-launch.ts";
import { keepStrictness } from "./narrow-options.ts";
import { isOwnServerName, readSource, type SourceNotes } from "./read-entry.ts";
import { readManagedRules, managedFileOf } from "./read-managed-rules.ts";
import { readServerFile } from "./read-server-file.ts";
import type {
  EntryOrigin,
  ServerEntry,
  ToolRule,
  UpstreamConfig,
  ConfiguredServer,
} from "./server-entry.ts";
import { parseToolRules, parseServerList } from "./server-keys.ts";
import {
  keyFiles,
  type KeyLevel,
  type KeyValue,
  readKeyLevels,
  type ServerSource,
  serverSources,
} from "./server-sources.ts";
import { isNested, type UpstreamConfigParts } from "./upstream-start.ts";

/** The configuration, and every file that it depends on, whether or not the file exists. */
export interface UpstreamConfigReading {
  readonly config: UpstreamConfig;
  readonly files: readonly string[];
}

/**
 * Reads the nine sources and the administrator's rules, and merges them (CF1–CF5, TR8). Never throws: an unusable part
 * is reported as a problem, and the rest is used. Reads files synchronously: some milliseconds, in the Worker or a
 * command, not on the server's main thread.
 */
export function loadUpstreamConfig(parts: UpstreamConfigParts): UpstreamConfig {
  return readUpstreamConfig(parts).config;
}

/** As `loadUpstreamConfig`, with the files that it depends on. */
export function readUpstreamConfig(parts: UpstreamConfigParts): UpstreamConfigReading {
  const { projectDir } = parts.dirs;
  const { settings } = loadConfig({
    ...parts.dirs,
    env: parts.env,
    configFiles: parts.configFiles,
  });
  const keyOrigins = keyFiles(parts, settings.activeProfile);
  const rest = {
    ...(projectDir !== undefined && { projectDir }),
    ...(parts.workspace !== undefined && { workspace: parts.workspace }),
  };
  const notes: SourceNotes = { problems: new ProblemList(), notices: [] };
  const managedFile = managedFileOf(parts.dirs);
  const managed = readManagedRules(managedFile, notes.problems);
  const files = [managedFile, ...keyOrigins.flatMap(({ file }) => file ?? [])];
  const told = (): Pick<UpstreamConfig, "problems" | "notices"> => {
    return { problems: notes.problems.all.map(({ message }) => message), notices: notes.notices };
  };
  if (!managed.isOn || !settings.mcp.isOn || isNested(parts.env)) {
    if (!managed.isOn)
      notes.notices.push(`${managedFile}: the administrator has switched MCP servers off.`);
    const nothing = { servers: new Map(), rules: managed.rules };
    return { config: { isOn: false, ...nothing, ...told(), ...rest }, files };
  }
  const levels = readKeyLevels(parts, keyOrigins);
  const sources = serverSources(parts, levels);
  const read = sources.flatMap((source) => readOne(source, parts, notes));
  const entries = withoutOurName(read, settings.mcp.serverName, notes);
  const servers = mergeEntries(entries, ({ name, origin }, text) =>
    notes.problems.warn({ file: origin.file }, `server "${name}": ${text}`),
  );
  const rules = [...managed.rules, ...rulesOf(levels), ...keptDenies(servers)];
  return {
    config: { isOn: true, servers, rules, ...told(), ...rest },
    files: [...new Set([...files, ...sources.flatMap(({ origin }) => origin.file ?? [])])],
  };
}

/** Leaves out and reports the entries that have scorpiox-code's own name. */
function withoutOurName(
  entries: readonly ServerEntry[],
  ours: string,
  { problems }: SourceNotes,
): readonly ServerEntry[] {
  return entries.filter(({ name, origin }) => {
    if (!isOwnServerName(name, ours)) return true;
    const text = `server "${name}" is ignored: clients use this name for scorpiox-code. Give it another name.`;
    problems.warn({ file: origin.file }, text);
    return false;
  });
}

function readOne(
  source: ServerSource,
  parts: UpstreamConfigParts,
  notes: SourceNotes,
): readonly ServerEntry[] {
  if (source.kind === "key") return readServerKey(source.value, source.origin, parts, notes);
  const content = readServerFile(source.origin, notes.problems, parts.lastGood);
  return content === undefined ? [] : readSource(content, source.origin, parts, notes);
}

function readServerKey(
  value: KeyValue,
  origin: EntryOrigin,
  parts: UpstreamConfigParts,
  notes: SourceNotes,
): readonly ServerEntry[] {
  const place = { line: value.line, ...(value.variable !== undefined && { name: value.variable }) };
  const list = parseServerList(value.text);
  if (list.length > serversPerFileMax) {
    const text = `${mcpServerKey.name}: only the first ${serversPerFileMax} servers are used.`;
    notes.problems.warn({ file: origin.file, ...place }, text);
  }
  const entries = list.slice(0, serversPerFileMax).flatMap((listed) => {
    if (listed.kind !== "fault") return [{ name: listed.name, value: listed }];
    const text = `${mcpServerKey.name}: server "${listed.name.slice(0, 64)}" ${listed.text}; it is ignored.`;
    notes.problems.warn({ file: origin.file, ...place }, text);
    return [];
  });
  return readSource({ entries }, origin, parts, notes, place);
}

/** The denies of all levels add up; of the allow lists only the strongest is used, and a project has none (CF5). */
function rulesOf(levels: readonly KeyLevel[]): readonly ToolRule[] {
  const denies = levels.flatMap(({ origin, values }) =>
    parseToolRules(values.get(mcpDenyKey.name)?.text ?? "", "deny", origin.trust),
  );
  const allow = levels
    .toSorted((a, b) => a.origin.rank - b.origin.rank)
    .findLast(({ origin, values }) => origin.trust === "user" && values.has(mcpAllowKey.name));
  const allows = parseToolRules(allow?.values.get(mcpAllowKey.name)?.text ?? "", "allow", "user");
  return [...denies, ...allows];
}

/**
 * Merges the entries to one server for each name: the strongest entry as a whole (CF1). Until a project's entry is
 * approved, the user's of that name is used (CF2); a project's entry that only switches the server off narrows, and
 * takes effect at once. A project may only narrow isolation, policy and roots (CF5), so that these are never looser
 * than the user's; `keptDenies` does the same for denies.
 * @param entries weakest first
 * @param warn reports a setting that a project's entry may not change
 */
export function mergeEntries(
  entries: readonly ServerEntry[],
  warn: (entry: ServerEntry, text: string) => void,
): ReadonlyMap<string, ConfiguredServer> {
  const byName = new Map<string, ServerEntry[]>();
  for (const entry of entries) {
    const same = byName.get(entry.name) ?? [];
    same.unshift(entry);
    byName.set(entry.name, same);
  }
  const servers = new Map<string, ConfiguredServer>();
  for (const [name, same] of byName) {
    const server = configured(same, warn);
    if (server !== undefined) servers.set(name, server);
  }
  return servers;
}

function configured(
  [winner, ...shadowed]: readonly ServerEntry[],
  warn: (entry: ServerEntry, text: string) => void,
): ConfiguredServer | undefined {
  if (winner === undefined) return undefined;
  const usersAt = shadowed.findIndex((entry) => entry.origin.trust === "user");
  const users = shadowed[usersAt];
  if (winner.origin.trust === "user" || users === undefined) {
    return { entry: winner, identity: launchIdentity(winner.launch), shadowed };
  }
  const standIn = configured(shadowed.slice(usersAt), warn);
  const entry = keepStrictness(winner, users.options, warn);
  return {
    entry,
    identity: launchIdentity(entry.launch),
    shadowed,
    ...(standIn !== undefined && entry.isEnabled && { standIn }),
  };
}

/**
 * The denies of the user's own entry where a project's has replaced it (TR8): entries are replaced as a whole (CF1),
 * but a user's deny still overrides any project.
 */
function keptDenies(servers: ReadonlyMap<string, ConfiguredServer>): readonly ToolRule[] {
  return [...servers.values()].flatMap(({ entry, shadowed }) => {
    if (entry.origin.trust === "user") return [];
    const users = shadowed.find(({ origin }) => origin.trust === "user");
    const globs = users?.options.deny ?? [];
    return globs.map((glob): ToolRule => {
      return { effect: "deny", server: entry.name, glob, trust: "user" };
    });
  });
}
