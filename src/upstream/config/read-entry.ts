import { basename, isAbsolute, resolve } from "node:path";

import { isNetworkPath, realPathOf } from "../../base/paths.ts";
import { product } from "../../base/product.ts";
import { isObject } from "../../base/values.ts";
import { type ProblemList, quoteValue } from "../../config/problems.ts";
import { cleanServer } from "../names/assign-names.ts";
import { readLaunch } from "./entry-launch.ts";
import { readOptions } from "./entry-options.ts";
import { narrowOptions, warnOfRights } from "./narrow-options.ts";
import { OptionReader } from "./option-reader.ts";
import type { RawEntry } from "./parse-server-file.ts";
import type { RawServerFile } from "./read-server-file.ts";
import {
  EntryFault,
  type EntryNotes,
  type EntryOrigin,
  type Isolation,
  type ServerEntry,
  type HttpLaunch,
  type ServerLaunch,
  type StdioLaunch,
} from "./server-entry.ts";
import type { UpstreamConfigParts } from "./upstream-start.ts";

/** Names that every JavaScript object has. */
const reservedNames = ["__proto__", "constructor", "prototype"];

/** True for a valid server name (CF12). */
function isServerName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name) &&
    !reservedNames.includes(name)
  );
}

/**
 * Reads one entry, checks it and fills in the defaults; a project's entry loses the settings that would widen rights.
 * @throws EntryFault when it cannot be used
 */
export function readEntry(raw: RawEntry, origin: EntryOrigin, notes: EntryNotes): ServerEntry {
  const { name, value } = raw;
  if (reservedNames.some((reserved) => reserved === name))
    throw new EntryFault("has a reserved name");
  if (!isServerName(name)) {
    throw new EntryFault(
      "needs a name of 1 to 64 letters, digits, _ . -, beginning with a letter or digit",
    );
  }
  if (!isObject(value)) throw new EntryFault("must be a table of settings");
  const reader = new OptionReader(value, notes);
  const isEnabled = readSwitch(reader);
  const launch = readLaunch(value, notes, !isEnabled);
  const options = readOptions(reader);
  if (options.oauth?.perUser !== undefined) assertOwnLogins(launch, options.isolation);
  if (origin.trust === "user") return { name, isEnabled, launch, options, origin };
  warnOfRights(launch, notes);
  return { name, isEnabled, launch, options: narrowOptions(options, value, notes), origin };
}

/** @throws EntryFault where the principals could not have logins of their own */
function assertOwnLogins(launch: ServerLaunch, isolation: Isolation | undefined): void {
  const fault = (what: string): never => {
    throw new EntryFault(`has oauth.per_user, ${what}`);
  };
  if (launch.transport !== "http") return fault("which is for servers at a URL");
  if (Object.keys(launch.headers).some((name) => name.toLowerCase() === "authorization")) {
    return fault("and an Authorization header, which would be sent for everybody: remove one");
  }
  if (isolation === "shared" || isolation === "workspace") {
    return fault(`and isolation ${isolation}, which shares one connection: remove one`);
  }
}

/** Other clients write `disabled: true` for `enabled: false`. */
function readSwitch(reader: OptionReader): boolean {
  return (
    reader.right("enabled", [true, false], true) && !reader.right("disabled", [true, false], false)
  );
}

/** Collects the problems, and the notices that are not problems. */
export interface SourceNotes {
  readonly problems: ProblemList;
  readonly notices: string[];
}

/**
 * Reads the servers of one source, in its order; of two with the same name the last is used. Each unusable entry is one
 * problem and does not affect the others (CF12).
 * @param place an environment variable, where there is no file
 */
export function readSource(
  content: RawServerFile,
  origin: EntryOrigin,
  parts: UpstreamConfigParts,
  { problems, notices }: SourceNotes,
  place?: { readonly line?: number | undefined; readonly name?: string },
): readonly ServerEntry[] {
  const entries = new Map<string, ServerEntry>();
  for (const raw of content.entries) {
    const at = { file: origin.file, line: raw.line ?? place?.line, name: place?.name };
    const label = `server ${typeof raw.name === "string" ? quoteValue(raw.name) : "without a name"}`;
    const warn = (text: string): void => problems.warn(at, `${label}: ${text}`);
    const warnings: string[] = [];
    try {
      const entry = readEntry(raw, origin, { warn: (text) => warnings.push(text) });
      if (isOwnEntry(entry.launch, parts)) {
        notices.push(
          `${origin.file ?? at.name ?? "command line"}: ${label} is this program itself; it is skipped.`,
        );
        continue;
      }
      if (entries.has(entry.name)) warnings.push("it is defined twice; using the last.");
      for (const text of warnings) warn(text);
      entries.set(entry.name, entry);
    } catch (error) {
      if (!(error instanceof EntryFault)) throw error;
      problems.warn(at, `${label} ${error.message}; it is ignored.`);
    }
  }
  return [...entries.values()];
}

/** Programs that run the program in their first argument. */
const runners =
  /^(?:npx|bunx|pnpx|npm|pnpm|yarn|node|bun|deno|env|uvx|sudo|cmd|sh|bash)(?:\.exe|\.cmd)?$/i;

/**
 * True for an entry that would start scorpiox-code once more, or whose address is its own (CF20): clients start it from
 * a project's `.mcp.json` too. References are not filled in.
 */
export function isOwnEntry(launch: ServerLaunch, parts: UpstreamConfigParts): boolean {
  return launch.transport === "stdio" ? isOwnProgram(launch, parts) : isOwnAddress(launch, parts);
}

/**
 * True for the name under which clients have configured scorpiox-code: a server's tools would look like built-in ones
 * (NM4).
 */
export function isOwnServerName(name: string, ours: string): boolean {
  return cleanServer(name).toLowerCase() === cleanServer(ours).toLowerCase();
}

function isOwnProgram(launch: StdioLaunch, parts: UpstreamConfigParts): boolean {
  const { command, args } = launch;
  const own = (parts.ownCommand ?? []).map(realPathOf);
  const program = realProgram(command, launch.cwd, parts);
  // Run from its sources, it is a script of a runtime that other programs use too.
  if (own.length === 1 && own[0] === program) return true;
  if (isOwnName(command)) return true;
  if (!runners.test(basename(command))) return false;
  const word =
    args.find((arg) => !arg.startsWith("-") && !/^(?:run|x|exec|dlx|\/c)$/.test(arg)) ?? "";
  const script = realProgram(word, launch.cwd, parts);
  return isOwnName(word) || own.at(-1) === script;
}

/** `scorpiox-code`, with a path, a version or the suffixes of its executables. */
function isOwnName(word: string): boolean {
  const name = basename(word.replaceAll("\\", "/")).replace(/(?<=.)@.*$/, "");
  return new RegExp(
    `^${product.name}(?:-(?:linux|darwin|macos|windows)[\\w.-]*)?(?:\\.exe)?$`,
    "i",
  ).test(name);
}

/** Only looks at this machine: the user has not approved anything yet. */
function realProgram(command: string, cwd: string | undefined, parts: UpstreamConfigParts): string {
  const path = findProgram(command, cwd, parts);
  return isNetworkPath(path) ? path : realPathOf(path);
}

function findProgram(command: string, cwd: string | undefined, parts: UpstreamConfigParts): string {
  const { homeDir, projectDir } = parts.dirs;
  if (command.startsWith("~/")) return resolve(homeDir, command.slice(2));
  if (isAbsolute(command)) return command;
  if (/[/\\]/.test(command)) return resolve(projectDir ?? homeDir, cwd ?? ".", command);
  return whichOf(command, parts.env["PATH"] ?? "") ?? command;
}

function whichOf(command: string, path: string): string | null {
  try {
    return Bun.which(command, { PATH: path });
  } catch {
    // It is longer than any path.
    return null;
  }
}

function isOwnAddress(launch: HttpLaunch, parts: UpstreamConfigParts): boolean {
  const own = URL.parse(parts.ownUrl ?? "");
  const there = URL.parse(launch.url);
  if (own === null || there === null || portOf(own) !== portOf(there)) return false;
  return own.hostname === there.hostname || (isThisMachine(own) && isThisMachine(there));
}

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

function isThisMachine({ hostname }: URL): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname);
}
