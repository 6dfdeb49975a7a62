import { existsSync } from "node:fs";
import { join } from "node:path";

import { formatDuration } from "../base/cut-text.ts";
import { messageOf } from "../base/errors.ts";
import { configFolders, envFileName, profileFile } from "../config/places.ts";
import { readUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import type { CommandIo, ParsedArguments } from "./command-io.ts";
import type { Command, CommandContext } from "./command.ts";
import { readStartUp } from "./start-up.ts";

/** Runs a command and prints its details: the configuration that it reads, what it says itself, and its time. */
export async function runVerbosely(command: Command, context: CommandContext): Promise<number> {
  const { args, io, print, services } = context;
  const begin = performance.now();
  print.tellDetails();
  print.detail(`version ${services.version}, ${services.ownCommand.join(" ")}`);
  for (const detail of startDetails(args, io)) print.detail(detail);
  try {
    return await command.run(context);
  } finally {
    print.detail(`took ${formatDuration(performance.now() - begin)}`);
  }
}

/** The folders of a start, and the configuration files that it reads or misses. Never throws. */
function startDetails(args: ParsedArguments, io: CommandIo): readonly string[] {
  try {
    const start = readStartUp(args, io);
    const { dirs, config } = start;
    const folders = configFolders(dirs);
    const profile = config.settings.activeProfile;
    const files = new Set([
      ...folders.map(({ dir }) => join(dir, envFileName)),
      ...(profile === undefined ? [] : folders.map((folder) => profileFile(folder, profile))),
      ...readUpstreamConfig(configPartsOf(start, io.env)).files,
    ]);
    const variables = Object.keys(io.env).filter((name) => name.startsWith("SCORPIOX_"));
    return [
      `folder ${dirs.scorpioxDir}`,
      dirs.projectDir === undefined ? "no project" : `project ${dirs.projectDir}`,
      ...[...files].map((file) => (existsSync(file) ? `reads ${file}` : `no file ${file}`)),
      ...(variables.length === 0 ? [] : [`variables: ${variables.toSorted().join(", ")}`]),
    ];
  } catch (error) {
    return [`the configuration cannot be read: ${messageOf(error)}`];
  }
}
