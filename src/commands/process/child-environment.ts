import { ownerVariable } from "./owner-mark.ts";

export interface ChildEnvironmentInput {
  /** The server's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly user: { readonly name: string; readonly homeDir: string; readonly shell: string | null };
  /** PATH of the user's login shell, when it could be learned. */
  readonly loginPath: string | undefined;
  readonly platform: NodeJS.Platform;
}

/**
 * The environment that commands get: the server's own, completed with what a login would set, without
 * the server's own settings (`SCORPIOX_*`, which may hold tokens).
 */
export function childEnvironment(input: ChildEnvironmentInput): Record<string, string> {
  const { env, user, loginPath, platform } = input;
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !name.startsWith("SCORPIOX_")) child[name] = value;
  }
  if (platform === "win32") return child;
  child["HOME"] ??= user.homeDir;
  child["USER"] ??= user.name;
  child["LOGNAME"] ??= user.name;
  if (user.shell !== null) child["SHELL"] ??= user.shell;
  child["PATH"] = joinPaths(child["PATH"], loginPath);
  delete child[ownerVariable];
  return child;
}

/**
 * The login shell's PATH, preceded by what only the server's own has: a virtual environment or a
 * version manager that was active where the client was started stays in front.
 */
export function joinPaths(own: string | undefined, login: string | undefined): string {
  const loginFolders = (login ?? "").split(":").filter(Boolean);
  const known = new Set(loginFolders);
  const ownFolders = (own ?? "").split(":").filter((folder) => folder && !known.has(folder));
  const joined = [...new Set([...ownFolders, ...loginFolders])].join(":");
  return joined || "/usr/local/bin:/usr/bin:/bin";
}
