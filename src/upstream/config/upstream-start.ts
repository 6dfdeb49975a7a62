import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";

import { realPathOf } from "../../base/paths.ts";
import { product } from "../../base/product.ts";
import { type Environment, isObject } from "../../base/values.ts";
import {
  mcpAllowKey,
  mcpConfigKey,
  mcpDenyKey,
  mcpFileKey,
  mcpServerKey,
} from "../../config/mcp-keys.ts";
import { type ConfigDirs, envFileName, isServerFile, isTomlFile } from "../../config/places.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import type { McpSettings } from "../../config/settings.ts";
import type { LastGoodFiles, FileOrigin } from "./read-server-file.ts";

/** The settings for upstream servers from the command line and the environment. */
export interface UpstreamStart {
  /** The files of `--config`, absolute, weakest first: files of servers and files of keys. */
  readonly configFiles: readonly string[];
  /** `--strict-config`: only servers that `--config` names are used (CF3). */
  readonly isStrict: boolean;
  readonly defer: "auto" | "on" | "off";
  readonly onChange: "block" | "warn" | "allow";
  /** `--trust-project`, or SCORPIOX_TRUST_PROJECT in the environment. */
  readonly trustsProject: boolean;
  /**
   * Another scorpiox-code process has started this one as one of its own servers: this one has no upstream servers
   * (CF20).
   */
  readonly isNested: boolean;
}

/** The part of a start that concerns upstream servers. */
export interface ServersStart {
  readonly dirs: ConfigDirs;
  readonly workspaceName: string | undefined;
  readonly config: { readonly settings: { readonly mcp: McpSettings } };
  readonly upstream: UpstreamStart;
}

/** Takes the parts for `loadUpstreamConfig` from a start. */
export function configPartsOf(start: ServersStart, env: Environment): UpstreamConfigParts {
  const { configFiles, isStrict } = start.upstream;
  return { dirs: start.dirs, env, configFiles, isStrict, workspace: start.workspaceName };
}

/** The inputs from which the configuration of upstream servers is read. `UpstreamOptions` has these too. */
export interface UpstreamConfigParts extends Pick<UpstreamStart, "configFiles" | "isStrict"> {
  readonly dirs: ConfigDirs;
  readonly env: Environment;
  readonly workspace?: string | undefined;
  /** The command that started scorpiox-code: an entry that runs it again is skipped (CF20). */
  readonly ownCommand?: readonly string[] | undefined;
  /** The address on which scorpiox-code itself listens. */
  readonly ownUrl?: string | undefined;
  /** The last good versions of files, for a process that reads them repeatedly (CN15). */
  readonly lastGood?: LastGoodFiles;
}

/** The keys that name servers or their tools; each level of the cascade has its own. */
export const serverKeys = [mcpServerKey, mcpConfigKey, mcpFileKey, mcpAllowKey, mcpDenyKey];

/** True in a process that another scorpiox-code process has started as one of its own servers (CF20). */
export function isNested(env: Environment): boolean {
  const depth = env["SCORPIOX_DEPTH"]?.trim() ?? "";
  return depth !== "" && depth !== "0";
}

/**
 * Ranks 1, 2, 4, 5, 7 and 8 of docs/mcp-servers.md#where-servers-come-from.
 * @param replacesProjectFile `MCP_FILE` is set: the project's `.mcp.json` is not looked up
 */
export function fixedSources(
  parts: Pick<UpstreamConfigParts, "dirs" | "workspace">,
  replacesProjectFile: boolean,
): readonly FileOrigin[] {
  // SCORPIOX_HOME may be a folder of the project, and a link of the project may lead there: the user's files are read
  // only once, at their user level.
  const seen = new Set<string>();
  return possibleSources(parts, replacesProjectFile).filter(({ file }) => {
    const real = realPathOf(file);
    return !seen.has(real) && seen.add(real);
  });
}

/** The sources of `fixedSources`, where one file may come twice. */
function possibleSources(
  parts: Pick<UpstreamConfigParts, "dirs" | "workspace">,
  replacesProjectFile: boolean,
): readonly FileOrigin[] {
  const { projectDir, scorpioxDir } = parts.dirs;
  const sources: FileOrigin[] = [
    { rank: 1, trust: "user", scope: "global", file: join(scorpioxDir, "config.toml") },
    { rank: 2, trust: "user", scope: "global", file: join(scorpioxDir, "mcp_servers.json") },
  ];
  if (projectDir !== undefined) sources.push(...projectSources(projectDir, replacesProjectFile));
  const workspace = workspaceSource(parts);
  if (workspace !== undefined) sources.push(workspace);
  return sources;
}

function projectSources(projectDir: string, replacesProjectFile: boolean): FileOrigin[] {
  const source = (rank: 4 | 5 | 7, ...path: readonly string[]): FileOrigin => ({
    rank,
    trust: "project",
    scope: "project",
    file: join(resolve(projectDir), ...path),
  });
  return [
    ...(replacesProjectFile ? [] : [source(4, ".mcp.json")]),
    source(5, "mcp_servers.json"),
    source(7, ".scorpiox", "config.toml"),
  ];
}

/** The project's file of the workspace, otherwise the user's. A name that leads out of the folder is rejected. */
function workspaceSource(
  parts: Pick<UpstreamConfigParts, "dirs" | "workspace">,
): FileOrigin | undefined {
  const { dirs, workspace } = parts;
  if (workspace === undefined || !isWorkspaceName(workspace)) return undefined;
  const path = join("workspaces", workspace, "mcp_servers.json");
  const own = dirs.projectDir === undefined ? undefined : resolve(dirs.projectDir, path);
  if (own !== undefined && existsSync(own)) {
    return { rank: 8, trust: "project", scope: "workspace", file: own };
  }
  return { rank: 8, trust: "user", scope: "workspace", file: join(dirs.scorpioxDir, path) };
}

function isWorkspaceName(name: string): boolean {
  return /^[^\p{C}/\\:]{1,100}$/u.test(name) && name !== "." && name !== "..";
}

/**
 * True when some source may name a server: the check before the rest of this folder is loaded. It can be true without
 * any usable server (a broken entry), but is never false when there is one. Looks at a handful of files, in some 50 µs.
 * @param settingsDir the project in which the settings were read, when the client has moved to another one
 */
export function mayHaveServers(
  start: ServersStart,
  settingsDir: string | undefined = start.dirs.projectDir,
): boolean {
  const { mcp } = start.config.settings;
  const { configFiles, isNested, isStrict } = start.upstream;
  if (!mcp.isOn || isNested || (isStrict && configFiles.length === 0)) return false;
  if (mcp.namesServers || configFiles.some(isServerFile)) return true;
  const { projectDir } = start.dirs;
  if (projectDir !== undefined && projectDir !== settingsDir && hasKeys(projectDir)) return true;
  const parts = { dirs: start.dirs, workspace: start.workspaceName };
  return possibleSources(parts, false).some(({ file }) => mayNameServers(file));
}

/** Keys can name servers too. */
function hasKeys(projectDir: string): boolean {
  return [".claude", ".scorpiox"].some(
    (folder) => readTextFile(join(projectDir, folder, envFileName)).kind !== "absent",
  );
}

/**
 * Clients write files without any server. A file that cannot be read is left to the real reader, which reports the
 * reason.
 */
function mayNameServers(file: string): boolean {
  const content = readTextFile(file);
  if (content.kind === "absent") return false;
  if (content.kind === "unusable") return true;
  if (isTomlFile(file)) return /\bmcp\b/.test(content.text);
  return countOf(content.text, addresses) > countOf(content.text, ownCommand);
}

const addresses = /command|url/gi;
/** A project's `.mcp.json` often has one entry, by which a client starts scorpiox-code: such entries are skipped. */
const ownCommand = new RegExp(
  `"command"\\s*:\\s*"(?:[^"]*[/\\\\])?${product.name}(?:\\.exe)?"`,
  "g",
);

function countOf(text: string, expression: RegExp): number {
  return text.match(expression)?.length ?? 0;
}

/**
 * Finds the names of servers in the project's files quickly, for messages before the configuration is loaded. It does
 * not know whether one of them is approved, replaced or switched off; a file that only the real reader understands
 * gives none.
 */
export function namedByProject({ dirs, workspaceName }: ServersStart): readonly string[] {
  const sources = fixedSources({ dirs, workspace: workspaceName }, false);
  const found = sources
    .filter(({ trust }) => trust === "project")
    .flatMap(({ file }) => namesIn(file));
  return [...new Set(found)].filter((name) => /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name));
}

function namesIn(file: string): readonly string[] {
  const content = readTextFile(file);
  if (content.kind !== "text") return [];
  if (isTomlFile(file)) {
    const heads = content.text.matchAll(/^[ \t]*\[mcp\.servers\.(?:"([^"]+)"|([\w-]+))\]/gm);
    return [...heads].map(([, quoted, bare]) => quoted ?? bare ?? "");
  }
  try {
    return namesOf(Bun.JSONC.parse(content.text));
  } catch {
    return [];
  }
}

function namesOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((one) =>
      isObject(one) && typeof one.name === "string" && isAnother(one) ? [one.name] : [],
    );
  }
  if (!isObject(value)) return [];
  const servers = value.mcpServers ?? value.servers;
  if (Array.isArray(servers)) return namesOf(servers);
  if (!isObject(servers)) return [];
  return Object.entries(servers).flatMap(([name, one]) => (isAnother(one) ? [name] : []));
}

/** False for scorpiox-code itself: a project's `.mcp.json` often has an entry by which a client starts it. */
function isAnother(entry: unknown): boolean {
  if (!isObject(entry) || entry.enabled === false || entry.disabled === true) return false;
  const { command } = entry;
  const name = typeof command === "string" ? basename(command).replace(/\.exe$/, "") : "";
  return name !== product.name;
}
