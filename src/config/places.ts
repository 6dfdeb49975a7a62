import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { realPathOf } from "../base/paths.ts";
import { byteOrderMark } from "./env-file.ts";
import { readTextFile } from "./read-text-file.ts";

/** The name of a configuration file in each of its folders. */
export const envFileName = "scorpiox-env.txt";
/** The folder beside it that holds profiles. */
const profileFolderName = "scorpiox-env";

/** Where a value can come from, weakest first. */
export type ConfigLevel =
  | "default"
  | "executable"
  /** `~/.claude`. */
  | "claude"
  /** `~/.scorpiox`, or SCORPIOX_HOME. */
  | "scorpiox"
  | "project"
  | "config-file"
  | "profile"
  | "environment"
  | "flag";

/** The folders of one start. */
export interface ConfigDirs {
  readonly homeDir: string;
  /** `~/.scorpiox`, or SCORPIOX_HOME. */
  readonly scorpioxDir: string;
  readonly executableDir: string;
  /** The folder of the administrator's rules; absent: the system's default. For tests. */
  readonly machineDir?: string;
  /** From `findProjectDir`; undefined where there is no project. */
  readonly projectDir: string | undefined;
}

/** A folder that may hold a configuration file and profiles. */
export interface ConfigFolder {
  readonly level: ConfigLevel;
  readonly dir: string;
}

/** The folders of the cascade, weakest first. */
export function configFolders(dirs: ConfigDirs): readonly ConfigFolder[] {
  const folders: ConfigFolder[] = [];
  const seen = new Set<string>();
  const add = (level: ConfigLevel, dir: string): void => {
    // SCORPIOX_HOME may be in the project, and a link of the project may lead to the user's folder: one that comes twice
    // has its user level.
    const real = realPathOf(dir);
    if (seen.has(real)) return;
    seen.add(real);
    folders.push({ level, dir });
  };
  const executableDir = resolve(dirs.executableDir);
  if (executableDir !== resolve(dirs.scorpioxDir)) add("executable", executableDir);
  add("claude", resolve(dirs.homeDir, ".claude"));
  add("scorpiox", resolve(dirs.scorpioxDir));
  if (dirs.projectDir !== undefined) {
    add("project", resolve(dirs.projectDir, ".claude"));
    add("project", resolve(dirs.projectDir, ".scorpiox"));
  }
  return folders;
}

export function profileFolder(folder: ConfigFolder): string {
  return join(folder.dir, profileFolderName);
}

export function profileFile(folder: ConfigFolder, name: string): string {
  return join(profileFolder(folder), `${name}.txt`);
}

const projectMarks = [".scorpiox", ".mcp.json", ".git"];

/**
 * The nearest ancestor of `cwd` that holds a mark of a project, else `cwd` itself. The home directory and the root are never a
 * project: files there are the user's, or nobody's.
 */
export function findProjectDir(cwd: string, homeDir: string): string | undefined {
  const home = resolve(homeDir);
  const realHome = realPathOf(home);
  // The system names a working directory by its real path, and HOME may be a link.
  const isNone = (dir: string): boolean =>
    dir === home || dir === dirname(dir) || realPathOf(dir) === realHome;
  const start = resolve(cwd);
  for (let dir = start; !isNone(dir); dir = dirname(dir)) {
    for (const mark of projectMarks) if (existsSync(`${dir}/${mark}`)) return dir;
  }
  return isNone(start) ? undefined : start;
}

/**
 * True when a file that `--config` names holds MCP servers: TOML by its name, JSON by its name or its first character. Any
 * other file holds lines of KEY=VALUE, none of which can begin like JSON.
 */
export function isServerFile(file: string): boolean {
  if (/\.(?:toml|jsonc?)$/i.test(file)) return true;
  const content = readTextFile(file);
  if (content.kind !== "text") return false;
  const text = content.text.startsWith(byteOrderMark) ? content.text.slice(1) : content.text;
  return /^\s*(?:[[{]|\/[/*])/.test(text);
}

/** A file of servers is TOML by its name, and otherwise JSON. */
export function isTomlFile(file: string): boolean {
  return file.toLowerCase().endsWith(".toml");
}
