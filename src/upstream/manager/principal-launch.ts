import { mkdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join, resolve, win32 } from "node:path";
import { pathToFileURL } from "node:url";
import { principalName } from "../../base/digests.ts";
import type { ConfigDirs } from "../../config/places.ts";
import { narrowerRoots } from "../config/narrow-options.ts";
import type {
  ConfiguredServer,
  GivenRoots,
  Isolation,
  Principals,
  ServerEntry,
  ServerLaunch,
} from "../config/server-entry.ts";
import { namesPrincipal, principalMarks } from "../config/text-expander.ts";
import type { RootsOffer } from "../connect/connection.ts";
import type { CurrentProject } from "./manager-parts.ts";

/** The principals and isolation of a server, and the folder for data of principals. */
export interface PrincipalParts {
  readonly scorpioxDir: string;
  readonly principals: Principals;
  readonly isolation: Isolation;
}

/**
 * Programs that store their data in one file beside themselves, unless a variable names another: separate processes
 * alone would not separate the data of principals.
 */
const knownStores = [
  {
    program:
      /(?:^|[\\/])@modelcontextprotocol[\\/]server-memory(?:@[^\\/]*)?(?:[\\/]|$)|mcp-server-memory$/,
    variable: "MEMORY_FILE_PATH",
    file: "memory.jsonl",
  },
] as const;

/** Whether each connection has one principal: `shared` has one for all, `workspace` one for all its users. */
function isApart(isolation: Isolation): boolean {
  return isolation !== "shared" && isolation !== "workspace";
}

/** Whether processes of different principals are started differently. */
export function isPersonal(
  { entry }: ConfiguredServer,
  { principals, isolation }: PrincipalParts,
): boolean {
  if (principals === undefined || !isApart(isolation)) return false;
  return (
    namesPrincipal(entry.launch) || storeOf(entry.launch, entry.options.inheritEnv) !== undefined
  );
}

/**
 * The launch for one principal. @param launch filled in except for `principalMarks` @param owner of the connection;
 * undefined when it has none yet, as for lists
 */
export function launchFor(
  server: ConfiguredServer,
  launch: ServerLaunch,
  owner: string | undefined,
  parts: PrincipalParts,
): ServerLaunch {
  const isOne = isPersonal(server, parts);
  if (!isOne && !namesPrincipal(server.entry.launch)) return launch;
  const name = isOne ? nameOf(owner) : parts.principals === undefined ? "local" : "everybody";
  const dir = join(parts.scorpioxDir, "principals", name);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const filled = filledIn(launch, name, dir);
  const store = isOne ? storeOf(server.entry.launch, server.entry.options.inheritEnv) : undefined;
  if (store === undefined || filled.transport === "http") return filled;
  return { ...filled, env: { ...filled.env, [store.variable]: join(dir, store.file) } };
}

/** A connection for lists has no owner. */
function nameOf(owner: string | undefined): string {
  return owner === undefined ? "nobody" : principalName(owner);
}

function filledIn(launch: ServerLaunch, name: string, dir: string): ServerLaunch {
  const fill = (text: string): string =>
    text.replaceAll(principalMarks.principal, name).replaceAll(principalMarks.principalDir, dir);
  const fillAll = (texts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fill(text)]));
  if (launch.transport === "http") {
    const { url, headers } = launch;
    return { transport: "http", url: fill(url), headers: fillAll(headers) };
  }
  const { command, args, env, cwd } = launch;
  return {
    transport: "stdio",
    command: fill(command),
    args: args.map(fill),
    env: fillAll(env),
    ...(cwd === undefined ? {} : { cwd: fill(cwd) }),
  };
}

/** The store that all users of the program would share; undefined when the entry names its own file. */
function storeOf(
  launch: ServerLaunch,
  inherited: readonly string[],
): (typeof knownStores)[number] | undefined {
  if (launch.transport === "http") return undefined;
  const words = [launch.command, ...launch.args];
  return knownStores.find(
    ({ program, variable }) =>
      words.some((word) => program.test(word)) &&
      launch.env[variable] === undefined &&
      !inherited.includes(variable),
  );
}

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

/** The roots that one connection offers; undefined when its server may not ask for any. */
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
