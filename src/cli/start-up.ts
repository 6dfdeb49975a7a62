import { statSync } from "node:fs";
import { join, resolve } from "node:path";

import { AppError } from "../base/errors.ts";
import { type ClientLimitsTable, createClientLimits } from "../config/client-limits.ts";
import { loadConfig, type LoadedConfig } from "../config/load-config.ts";
import { type ConfigDirs, findProjectDir } from "../config/places.ts";
import { parseBoolean, pathValue } from "../config/value-types.ts";
import { isNested, type UpstreamStart } from "../upstream/config/upstream-start.ts";
import type { CommandIo, ParsedArguments, Printer } from "./command-io.ts";

/** The configuration that a start knows before anything runs. */
export interface StartUp {
  /** From `--cwd`, absolute and there; undefined when it was not given. */
  readonly cwdFlag: string | undefined;
  /** From `--workspace`; undefined when it was not given. */
  readonly workspaceName: string | undefined;
  readonly dirs: ConfigDirs;
  readonly config: LoadedConfig;
  readonly clients: ClientLimitsTable;
  readonly upstream: UpstreamStart;
}

/** The values of `--defer`. */
export const deferModes = ["auto", "on", "off"] as const;
/** The values of `--on-change`. */
export const changeModes = ["block", "warn", "allow"] as const;

/**
 * Reads the configuration and reports what is wrong with it.
 * @throws {AppError} `usage` when `--cwd` is not a directory, `--config` names no readable file, or
 * `--strict-config` finds a problem.
 */
export function startUp(args: ParsedArguments, io: CommandIo, print: Printer): StartUp {
  const start = readStartUp(args, io);
  const { problems } = start.config;
  for (const problem of problems) {
    if (problem.severity === "error") print.error(problem.message);
    else print.warning(problem.message);
  }
  if (problems.some((problem) => problem.severity === "error")) {
    throw new AppError("usage", "Not started: a file that --config names cannot be used.");
  }
  if (args.has("strict-config") && problems.length > 0) {
    throw new AppError("usage", `Not started: --strict-config, and ${problems.length} problem(s).`);
  }
  return start;
}

/** `startUp` for a server. An older version may be started with a newer one's `--client`: it serves all the same. */
export function startServing(args: ParsedArguments, io: CommandIo, print: Printer): StartUp {
  const start = startUp(args, io, print);
  const client = args.text("client");
  if (client !== undefined && !start.clients.hasClient(client)) {
    const known = start.clients.ids().join(", ");
    print.warning(
      `--client ${client} is not known; using the default limits. Known clients: ${known}`,
    );
  }
  return start;
}

/** Like `startUp`, but reports no problems: for commands that fix them. */
export function readStartUp(args: ParsedArguments, io: CommandIo): StartUp {
  const cwdFlag = args.has("cwd")
    ? existingDir(resolve(io.cwd, args.text("cwd") ?? ""))
    : undefined;
  const dirs = findDirs(io, cwdFlag ?? io.cwd);
  const configFiles = args.list("config").map((file) => resolve(io.cwd, file));
  const config = loadConfig({ ...dirs, env: io.env, configFiles });
  const clients = createClientLimits({
    budgetMs: config.settings.clientBudgetMs,
    clientId: args.text("client"),
    overrideFile: join(dirs.scorpioxDir, "clients.json"),
  });
  const upstream = readUpstreamStart(args, io, configFiles);
  return { cwdFlag, workspaceName: workspaceNameOf(args), dirs, config, clients, upstream };
}

/** The configuration of folders, without a command line. */
export function configuredAt(
  dirs: ConfigDirs,
  env: CommandIo["env"],
): Pick<StartUp, "dirs" | "config"> {
  return { dirs, config: loadConfig({ ...dirs, env, configFiles: [] }) };
}

function readUpstreamStart(
  args: ParsedArguments,
  io: CommandIo,
  configFiles: readonly string[],
): UpstreamStart {
  const trust = parseBoolean(io.env.SCORPIOX_TRUST_PROJECT?.trim() ?? "");
  return {
    configFiles,
    isStrict: args.has("strict-config"),
    defer: deferModes.find((mode) => mode === args.text("defer")) ?? "auto",
    onChange: changeModes.find((mode) => mode === args.text("on-change")) ?? "block",
    trustsProject: args.has("trust-project") || trust === true,
    isNested: isNested(io.env),
  };
}

function findDirs(io: CommandIo, workDir: string): ConfigDirs {
  const moved = io.env.SCORPIOX_HOME;
  return {
    homeDir: io.homeDir,
    // Clients pass `~` on as it is written in their configuration.
    scorpioxDir: moved
      ? (pathValue.parse(moved, io.homeDir) ?? resolve(io.cwd, moved))
      : join(io.homeDir, ".scorpiox"),
    executableDir: io.executableDir,
    ...(io.machineDir !== undefined && { machineDir: io.machineDir }),
    projectDir: findProjectDir(workDir, io.homeDir),
  };
}

/** A start-up as it is for a client that works in `folder`. */
export function startIn(start: StartUp, folder: string): StartUp {
  const { dirs } = start;
  return { ...start, dirs: { ...dirs, projectDir: findProjectDir(folder, dirs.homeDir) } };
}

/** Far more than anybody types, far less than what would hurt. */
const workspaceNameCharsMax = 100;

function workspaceNameOf(args: ParsedArguments): string | undefined {
  const name = args.text("workspace")?.trim();
  if (name === undefined) return undefined;
  // A path would be taken for a folder that has no such name.
  if (/^[^\p{C}/\\]+$/u.test(name) && name.length <= workspaceNameCharsMax) return name;
  throw new AppError(
    "usage",
    `--workspace ${JSON.stringify(name.slice(0, 120))} is not a valid name: use 1 to ${workspaceNameCharsMax} characters without separators.`,
  );
}

function existingDir(dir: string): string {
  const stats = statOf(dir);
  if (stats === undefined) throw new AppError("usage", `--cwd ${dir} does not exist.`);
  if (!stats.isDirectory()) throw new AppError("usage", `--cwd ${dir} is not a directory.`);
  return dir;
}

function statOf(path: string): ReturnType<typeof statSync> | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A file in the place of a parent, or a parent that may not be entered: not there for us.
    return undefined;
  }
}
