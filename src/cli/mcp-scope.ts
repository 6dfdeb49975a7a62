import { join, resolve } from "node:path";

import { AppError } from "../base/errors.ts";
import { isInside } from "../base/paths.ts";
import type { ConfigDirs } from "../config/places.ts";
import type { EntryOrigin } from "../upstream/config/server-entry.ts";
import type { ServerFileTarget } from "../upstream/edit/edit-server-file.ts";
import type { FlagTable } from "./flags.ts";
import type { ParsedArguments } from "./parsed-arguments.ts";

/** Aliases that other programs use come last. */
const scopes: ReadonlyMap<string, "project" | "global"> = new Map([
  ["project", "project"],
  ["global", "global"],
  ["local", "project"],
  ["user", "global"],
]);

/** Selects the file of servers that a command changes. */
export const scopeFlags: FlagTable = {
  scope: {
    kind: "text",
    short: "s",
    choices: [...scopes.keys()],
    help: "The file: the project's .scorpiox/config.toml (the default; also: local) or ~/.scorpiox/config.toml (global; also: user).",
  },
  file: {
    kind: "text",
    placeholder: "FILE",
    help: "Change this file instead: .toml, or JSON in any of the known formats.",
  },
};

/** The file that a command changes, and the origin of its entries. */
export interface ServerFile {
  readonly target: ServerFileTarget;
  readonly origin: EntryOrigin;
}

/**
 * The file of `--scope` or `--file`; the project's is the default.
 * @throws {AppError} `usage` for the project where there is none
 */
export function serverFileOf(args: ParsedArguments, dirs: ConfigDirs, cwd: string): ServerFile {
  const { scorpioxDir, projectDir } = dirs;
  const named = args.text("file");
  if (named !== undefined) {
    if (args.has("scope")) throw new AppError("usage", "Use --scope or --file, not both.");
    return fileNamed(resolve(cwd, named), dirs);
  }
  if (scopes.get(args.text("scope") ?? "") === "global") {
    const file = join(scorpioxDir, "config.toml");
    const target = { file, scorpioxDir, isPrivate: true };
    return { target, origin: { rank: 1, trust: "user", scope: "global", file } };
  }
  if (projectDir === undefined) {
    throw new AppError(
      "usage",
      "There is no project here: the home directory and the root directory are not projects. Use --scope global.",
    );
  }
  const file = join(projectDir, ".scorpiox", "config.toml");
  const target = { file, insideDir: projectDir, scorpioxDir, isPrivate: false };
  return { target, origin: { rank: 7, trust: "project", scope: "project", file } };
}

function fileNamed(file: string, { projectDir, scorpioxDir }: ConfigDirs): ServerFile {
  const isPrivate = isInside(file, scorpioxDir);
  const isOfProject = !isPrivate && projectDir !== undefined && isInside(file, projectDir);
  const target = {
    file,
    scorpioxDir,
    isPrivate,
    ...(isOfProject ? { insideDir: projectDir } : {}),
  };
  const origin = isOfProject
    ? ({ rank: 4, trust: "project", scope: "project", file } as const)
    : ({ rank: 9, trust: "user", scope: "command-line", file } as const);
  return { target, origin };
}
