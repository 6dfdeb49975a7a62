import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A name that commands may not change, and its kind if it does not exist yet. */
export interface ProtectedName {
  /** Relative to the folder that it protects. */
  readonly path: string;
  readonly kind: "file" | "folder";
  /** The content of a stand-in file; absent = empty. */
  readonly text?: string;
  /** It has no stand-in. */
  readonly isLeftMissing?: true;
}

/** Names of submodules have slashes in them, each of which is a folder. */
const moduleDepthMax = 8;

/**
 * Trusted files below folders whose names are not known in advance. Things that a command newly creates there are not
 * included: a worktree, or a submodule.
 */
export async function deeperNames(
  folder: string,
  gitFolder: string,
): Promise<readonly ProtectedName[]> {
  const found = [workspaceFiles(folder), modules(folder, join(gitFolder, "modules"))];
  return (await Promise.all([...found, worktreeFiles(folder, gitFolder)])).flat();
}

/** Servers of a workspace that `WORKSPACE` names. */
async function workspaceFiles(folder: string): Promise<ProtectedName[]> {
  const names = await foldersIn(join(folder, "workspaces"));
  return names.map((name) => ({
    path: join("workspaces", name, "mcp_servers.json"),
    kind: "file",
    isLeftMissing: true,
  }));
}

/** Hooks of submodules; not their configuration, which `git submodule update` writes each time. */
async function modules(folder: string, path: string, depth = 0): Promise<ProtectedName[]> {
  const names = depth < moduleDepthMax ? await foldersIn(join(folder, path)) : [];
  const found = names.map(async (name): Promise<ProtectedName[]> => {
    const at = join(path, name);
    const head = await lstat(join(folder, at, "HEAD")).catch(() => undefined);
    if (head === undefined) return modules(folder, at, depth + 1);
    return [
      { path: join(at, "hooks"), kind: "folder" },
      ...(await modules(folder, join(at, "modules"), depth + 1)),
    ];
  });
  return (await Promise.all(found)).flat();
}

/** A second configuration for each worktree: git reads it where the first one, which stays as it is, says so. */
async function worktreeFiles(folder: string, gitFolder: string): Promise<ProtectedName[]> {
  const config = await readFile(join(folder, gitFolder, "config"), "utf8").catch(() => "");
  if (!/worktreeconfig/i.test(config)) return [];
  const worktrees = await foldersIn(join(folder, gitFolder, "worktrees"));
  const places = [gitFolder, ...worktrees.map((name) => join(gitFolder, "worktrees", name))];
  return places.map((place) => ({ path: join(place, "config.worktree"), kind: "file" }));
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
