import type { Environment } from "../../base/values.ts";
import { ownerVariable } from "../../commands/process/processes.ts";
import { joinPaths } from "../../commands/process/shell.ts";

/** The nesting depth of servers. A scorpiox-code that finds it set serves its native tools only (CF20). */
const depthVariable = "SCORPIOX_DEPTH";

const unixNames = ["HOME", "LOGNAME", "USER", "SHELL", "TERM", "PATH", "LANG", "TZ", "TMPDIR"];
const windowsNames = [
  "APPDATA",
  "LOCALAPPDATA",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "TEMP",
  "TMP",
  "PATH",
  "PATHEXT",
  "USERNAME",
  "PROGRAMFILES",
  "PROGRAMDATA",
  "COMSPEC",
];
const certificateNames = ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"];
const proxyNames = new Set(["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]);
const ownPrefix = "SCORPIOX_";

export interface ServerEnvironmentInput {
  /** The environment of scorpiox-code. */
  readonly env: Environment;
  readonly user: { readonly name: string; readonly homeDir: string; readonly shell: string | null };
  /** PATH of the user's login shell, when it is known. */
  readonly loginPath: string | undefined;
  readonly platform: NodeJS.Platform;
  /** Variables that the server's entry inherits. `SCORPIOX_…`, which may hold tokens, are never passed on. */
  readonly inheritEnv: readonly string[];
  /** Variables of the server's entry; they override all others. */
  readonly own: Readonly<Record<string, string>>;
}

/** A server's environment (EN1): a few variables of the user, none of scorpiox-code, and all of its entry. */
export function serverEnvironment(input: ServerEnvironmentInput): Record<string, string> {
  const { env, user, loginPath, platform, inheritEnv, own } = input;
  const isWindows = platform === "win32";
  const child = inherited(env, inheritEnv, isWindows);
  if (!isWindows) {
    child["HOME"] ??= user.homeDir;
    child["USER"] ??= user.name;
    child["LOGNAME"] ??= user.name;
    if (user.shell !== null) child["SHELL"] ??= user.shell;
    child["PATH"] = joinPaths(child["PATH"], loginPath);
  }
  for (const [name, value] of Object.entries(own)) {
    if (isWindows) removeOtherSpellings(child, name);
    child[name] = value;
  }
  delete child[ownerVariable];
  child[depthVariable] = String(depthOf(env) + 1);
  return child;
}

/** The nesting depth of this process; 0 when a client started it. */
export function depthOf(env: Environment): number {
  const depth = Number(env[depthVariable] ?? "0");
  return Number.isSafeInteger(depth) && depth > 0 ? depth : 0;
}

function inherited(
  env: Environment,
  inheritEnv: readonly string[],
  isWindows: boolean,
): Record<string, string> {
  // Names are case-insensitive on Windows.
  const fold = (name: string): string => (isWindows ? name.toUpperCase() : name);
  const base = isWindows ? windowsNames : unixNames;
  const wanted = new Set([...base, ...certificateNames, ...inheritEnv].map(fold));
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || name.toUpperCase().startsWith(ownPrefix)) continue;
    if (wanted.has(fold(name)) || (!isWindows && name.startsWith("LC_"))) child[name] = value;
    else if (proxyNames.has(name.toUpperCase())) child[name] = withoutUserInfo(value);
  }
  return child;
}

/** A proxy has no path, so everything before the last `@` may be a password, even with slashes. */
function withoutUserInfo(proxy: string): string {
  const at = proxy.lastIndexOf("@");
  if (at === -1) return proxy;
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(proxy)?.[0] ?? "";
  return scheme + proxy.slice(at + 1);
}

function removeOtherSpellings(child: Record<string, string>, name: string): void {
  for (const other of Object.keys(child)) {
    if (other.toUpperCase() === name.toUpperCase()) delete child[other];
  }
}

/** One client's side of a server that several clients may share. */
interface ClientSurroundings {
  /** The environment of the client's scorpiox-code. */
  readonly env: Environment;
  /** PATH of the user's login shell, when it is known. */
  readonly loginPath: string | undefined;
  readonly user: ServerEnvironmentInput["user"];
}

/** The names that a server's entry sets or inherits. */
interface OwnVariables {
  readonly inheritEnv: readonly string[];
  readonly own: Readonly<Record<string, string>>;
}

/**
 * The environment of a client for a server that other clients may share (HB3): without the facts that differ between
 * clients but do not matter to a server. A server on pipes has no terminal, and a PATH within that of the login shell
 * leads to the same programs.
 */
export function shareableBase(
  { env, loginPath }: Pick<ClientSurroundings, "env" | "loginPath">,
  inheritEnv: readonly string[],
): Environment {
  const { TERM: term, ...others } = env;
  const kept = inheritEnv.includes("TERM") && term !== undefined ? { TERM: term } : {};
  const path = commonPath(env["PATH"], loginPath);
  return { ...others, ...kept, ...(path === undefined ? {} : { PATH: path }) };
}

/** Every variable that the server of this client would have (EN1). */
export function shareableEnvironment(
  client: ClientSurroundings,
  { inheritEnv, own }: OwnVariables,
): Record<string, string> {
  return serverEnvironment({
    env: shareableBase(client, inheritEnv),
    user: client.user,
    loginPath: undefined,
    platform: process.platform,
    inheritEnv,
    own,
  });
}

/** The PATH of the login shell, unless the client's has a folder that it lacks. */
function commonPath(path: string | undefined, loginPath: string | undefined): string | undefined {
  if (loginPath === undefined) return path;
  const known = new Set(foldersOf(loginPath));
  return foldersOf(path ?? "").every((folder) => known.has(folder)) ? loginPath : path;
}

function foldersOf(path: string): readonly string[] {
  return path
    .split(":")
    .map((folder) => (folder === "/" ? folder : folder.replace(/\/+$/, "")))
    .filter((folder) => folder !== "");
}
