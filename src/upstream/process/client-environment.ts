import type { Environment } from "../../base/values.ts";
import { serverEnvironment, type ServerEnvironmentInput } from "./server-environment.ts";

/** One client's side of a server that several clients may share. */
export interface ClientSurroundings {
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
