import { stat } from "node:fs/promises";
import { join, resolve, win32 } from "node:path";
import { pathToFileURL } from "node:url";

import type { ConfigDirs } from "../../config/places.ts";
import { narrowerRoots } from "../config/roots-rule.ts";
import type { GivenRoots, ServerEntry, ServerLaunch } from "../config/server-entry.ts";
import type { RootsOffer } from "../connect/connection.ts";
import type { CurrentProject } from "./current-project.ts";

/**
 * What a server is told of folders. Without a word in its entry it is those of the client, unless an argument is a folder:
 * some servers take roots in the place of the folders that they were started for.
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

/** The same for one connection; undefined when it may not ask. */
export function rootsOffer(
  given: GivenRoots,
  project: Pick<CurrentProject, "folders" | "dirs">,
): RootsOffer | undefined {
  if (given === "none") return undefined;
  if (typeof given !== "string") return { isAsked: false, known: () => given.map(rootOf) };
  if (given === "client") return { isAsked: true, known: () => project.folders.map(rootOf) };
  const workspace = (): readonly string[] => {
    const { projectDir } = project.dirs;
    return projectDir === undefined ? [] : [projectDir];
  };
  return { isAsked: true, known: () => workspace().map(rootOf) };
}

function rootOf(path: string): ReturnType<RootsOffer["known"]>[number] {
  return { uri: pathToFileURL(path).href, name: path.split(/[/\\]/).at(-1) ?? "" };
}

function pathOf(
  folder: string,
  { homeDir, projectDir }: Pick<ConfigDirs, "homeDir" | "projectDir">,
): string {
  if (/^~(?:[/\\]|$)/.test(folder)) return join(homeDir, folder.slice(1));
  return resolve(projectDir ?? homeDir, folder);
}

/** Whether an argument beside the program and its script is a folder that is there. */
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
    // Most arguments are no paths; a NUL in one is refused elsewhere.
    () => false,
  );
}

/** Programs whose first word that is no option is what they run: a file, a folder, a package, an image. */
const runners =
  /^(?:node|nodejs|bun|bunx|deno|tsx|ts-node|npx|npm|pnpm|pnpx|yarn|yarnpkg|python[\d.]*|pythonw|py|pypy3?|uv|uvx|pipx|ruby|perl|php|java|dotnet|go|cargo|docker|podman|bash|sh|zsh|pwsh|powershell)$/;
/** Words of a runner before that. */
const subcommands = new Set(["run", "exec", "x", "dlx", "tool"]);

/** What is left of the arguments without the script that a runner runs. */
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
