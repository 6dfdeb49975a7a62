import { stat } from "node:fs/promises";
import { join, resolve, win32 } from "node:path";

import type { ConfigDirs } from "../../config/places.ts";
import { narrowerRoots } from "./narrow-options.ts";
import type { GivenRoots, ServerEntry, ServerLaunch } from "./server-entry.ts";

/**
 * The roots that a server gets. By default they are the client's, unless an argument is a folder: some servers use
 * roots instead of the folders in their arguments.
 * @param launch filled in
 */
export async function givenRoots(
  { options, origin }: ServerEntry,
  launch: ServerLaunch,
  dirs: Pick<ConfigDirs, "homeDir" | "projectDir">,
): Promise<GivenRoots> {
  const usual = (await namesFolder(launch)) ? "none" : "client";
  const written = options.roots ?? usual;
  const rule = origin.trust === "project" ? narrowerRoots(written, usual) : written;
  return typeof rule === "string" ? rule : rule.map((folder) => pathOf(folder, dirs));
}

function pathOf(
  folder: string,
  { homeDir, projectDir }: Pick<ConfigDirs, "homeDir" | "projectDir">,
): string {
  if (/^~(?:[/\\]|$)/.test(folder)) return join(homeDir, folder.slice(1));
  return resolve(projectDir ?? homeDir, folder);
}

/** Whether an argument, apart from the program and its script, is an existing folder. */
async function namesFolder(launch: ServerLaunch): Promise<boolean> {
  if (launch.transport !== "stdio") return false;
  const { cwd = "." } = launch;
  const others = argumentsOfScript(launch.command, launch.args);
  const kinds = await Promise.all(others.map((word) => isFolder(resolve(cwd, word))));
  return kinds.includes(true);
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    // Most arguments are not paths; a NUL in one is refused elsewhere.
    () => false,
  );
}

/** Programs that run their first argument that is not an option: a file, a folder, a package, an image. */
const runners =
  /^(?:node|nodejs|bun|bunx|deno|tsx|ts-node|npx|npm|pnpm|pnpx|yarn|yarnpkg|python[\d.]*|pythonw|py|pypy3?|uv|uvx|pipx|ruby|perl|php|java|dotnet|go|cargo|docker|podman|bash|sh|zsh|pwsh|powershell)$/;
/** A runner's words before that argument. */
const subcommands = new Set(["run", "exec", "x", "dlx", "tool"]);

/** The arguments without the script that a runner runs. */
function argumentsOfScript(command: string, args: readonly string[]): readonly string[] {
  // The Windows form knows both separators.
  const program = win32
    .basename(command)
    .toLowerCase()
    .replace(/\.(?:cmd|exe|ps1|bat)$/, "");
  if (!runners.test(program)) return args;
  const at = args.findIndex((word) => !word.startsWith("-") && !subcommands.has(word));
  return at === -1 ? args : args.toSpliced(at, 1);
}
