import { join, resolve } from "node:path";
import { AppError } from "../base/errors.ts";
import { isInside } from "../base/paths.ts";
import { hideInArguments, hideLiteral, isSecretName } from "../base/secrets.ts";
import type { ConfigDirs } from "../config/places.ts";
import { launchIdentity } from "../upstream/config/entry-launch.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { isOwnEntry, isOwnServerName, readEntry } from "../upstream/config/read-entry.ts";
import {
  EntryFault,
  type EntryOrigin,
  type ServerEntry,
  type ServerLaunch,
} from "../upstream/config/server-entry.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import type { ServerFileTarget } from "../upstream/edit/edit-server-file.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import { tomlKey, tomlPairs } from "../upstream/edit/toml-edit.ts";
import { approveLaunchOf } from "../upstream/trust/launch-approval.ts";
import { TrustStore } from "../upstream/trust/trust-store.ts";
import type { CommandIo, ParsedArguments, Printer } from "./command-io.ts";
import type { CommandContext } from "./command.ts";
import type { FlagTable } from "./flags.ts";
import type { StartUp } from "./start-up.ts";

/** Selects the file of servers that a command changes. */
export const scopeFlags: FlagTable = {
  scope: {
    kind: "text",
    short: "s",
    choices: ["project", "user"],
    oldChoices: { global: "user", local: "project" },
    help: "The file: the project's .scorpiox/config.toml (project, the default) or your own, ~/.scorpiox/config.toml (user).",
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
  if (args.text("scope") === "user") {
    const file = join(scorpioxDir, "config.toml");
    const target = { file, scorpioxDir, isPrivate: true };
    return { target, origin: { rank: 1, trust: "user", scope: "global", file } };
  }
  if (projectDir === undefined) {
    throw new AppError(
      "usage",
      "There is no project here: the home directory and the root directory are not projects. Use --scope user.",
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

/**
 * The entry that the user has typed, as it will be read.
 * @throws {AppError} `usage` when scorpiox-code cannot use it, or when it would start scorpiox-code itself
 */
export function checkTypedServer(
  { io, print }: Pick<CommandContext, "io" | "print">,
  start: StartUp,
  name: string,
  entry: NewEntry,
  origin: EntryOrigin,
): ServerEntry {
  const checked = checkEntry(name, entry, origin, print);
  if (isOwnEntry(checked.launch, configPartsOf(start, io.env))) {
    throw new AppError(
      "usage",
      `${name} would start scorpiox-code itself, which need not be its own server.`,
    );
  }
  if (isOwnServerName(name, start.config.settings.mcp.serverName)) {
    const message = `Clients know scorpiox-code under the name ${name}: its tools would look like those of scorpiox-code. Choose another name.`;
    throw new AppError("usage", message);
  }
  return checked;
}

/** The entry as it will be read. @throws {AppError} `usage` when it could not be used */
function checkEntry(
  name: string,
  entry: NewEntry,
  origin: EntryOrigin,
  print: Pick<Printer, "warning">,
): ServerEntry {
  try {
    return readEntry({ name, value: entry }, origin, {
      warn: (text) => print.warning(`server ${JSON.stringify(name)}: ${text}`),
    });
  } catch (error) {
    if (!(error instanceof EntryFault)) throw error;
    throw new AppError("usage", `The server ${JSON.stringify(name)} ${error.message}.`, {
      cause: error,
    });
  }
}

/** An entry that the user typed is approved; one outside a project needs no approval. */
export async function approveTypedServer(
  entry: ServerEntry,
  start: StartUp,
  io: CommandIo,
): Promise<void> {
  const { projectDir, scorpioxDir } = start.dirs;
  if (entry.origin.trust !== "project" || projectDir === undefined) return;
  const identity = launchIdentity(entry.launch);
  // The user wants it to take the place of their own entry of that name.
  const written = loadUpstreamConfig(configPartsOf(start, io.env)).servers.get(entry.name);
  const { standIn } = written?.identity === identity ? written : {};
  const server = { entry, identity, ...(standIn && { standIn }) };
  await approveLaunchOf(server, projectDir, new TrustStore(scorpioxDir));
}

/** Secrets in a file of a project are seen by everybody who has the project (CL4). */
export function warnOfSecrets(
  name: string,
  entry: NewEntry,
  { origin }: ServerFile,
  print: Printer,
): void {
  if (origin.trust !== "project") return;
  for (const secret of plainSecrets(entry)) {
    print.warning(
      `${secret.path} of ${name} looks like a secret, and others can read the project's files. Write \${${secret.name}} instead, which is read from the environment, or use --scope user with \${keyring:${secret.name}}.`,
    );
  }
}

/** A secret in an entry, by its path: `env.GITHUB_TOKEN`. */
interface PlainSecret {
  readonly path: string;
  /** A name for it, to be used in a reference. */
  readonly name: string;
}

/** Headers that say nothing secret. */
const openHeaders = new Set([
  "accept",
  "content-type",
  "user-agent",
  "x-mcp-readonly",
  "x-mcp-toolsets",
]);

/** The entry with `***` in the place of every secret that is written in it; references stay. */
export function shownEntry(entry: NewEntry): NewEntry {
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, shownValue([key], value)]),
  );
}

/** The launch as a file would have it, secrets hidden. */
export function shownLaunch(launch: ServerLaunch): NewEntry {
  const { transport: _transport, ...fields } = launch;
  return shownEntry(fields);
}

/** Secrets that are written in the entry itself. */
export function plainSecrets(entry: NewEntry): readonly PlainSecret[] {
  return differences([], entry, shownEntry(entry));
}

/** As a table of `config.toml`, secrets hidden. */
export function entryLines(name: string, entry: NewEntry): readonly string[] {
  return [`[mcp.servers.${tomlKey(name)}]`, ...tomlPairs(shownEntry(entry))];
}

function shownValue(path: readonly string[], value: unknown): unknown {
  if (typeof value === "string") return shownText(path, value);
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === "string")
      ? hideInArguments(value)
      : value.map((item) => shownValue(path, item));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shownValue([...path, key], inner)]),
  );
}

function shownText(path: readonly string[], text: string): string {
  const [field, name = ""] = path;
  if (field === "headers") return openHeaders.has(name.toLowerCase()) ? text : hideLiteral(text);
  const isPlace = field === "oauth" && name.endsWith("_file");
  if (path.length > 1 && isSecretName(name) && !isPlace) return hideLiteral(text);
  return hideInArguments([text])[0] ?? "";
}

function differences(path: readonly string[], one: unknown, other: unknown): PlainSecret[] {
  if (typeof one === "object" && one !== null && typeof other === "object" && other !== null) {
    return Object.entries(one).flatMap(([key, value]) =>
      differences([...path, key], value, Reflect.get(other, key)),
    );
  }
  if (one === other) return [];
  return [{ path: path.join("."), name: nameFor(path, other) }];
}

/** The part before the hidden one, as in `API_KEY=***`, else the key of a map. */
function nameFor(path: readonly string[], shown: unknown): string {
  const written =
    typeof shown === "string" ? /([A-Za-z][\w-]*)=\*\*\*/.exec(shown)?.[1] : undefined;
  const key = path.length > 1 ? path.at(-1) : undefined;
  const name = written ?? (key !== undefined && !/^\d+$/.test(key) ? key : "SECRET");
  return name.toUpperCase().replaceAll(/\W/g, "_");
}
