import { lstat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

import { AppError } from "../../base/errors.ts";
import { isInside } from "../../base/paths.ts";
import type { BackendName, Shield } from "./backend-arguments.ts";
import { deeperNames, type ProtectedName } from "./deeper-names.ts";
import { isEmptyFolder, type KeptName } from "./stand-ins.ts";

/** Files that programs outside of the sandbox run or trust. */
const inEveryFolder: readonly ProtectedName[] = [
  { path: ".git/hooks", kind: "folder" },
  { path: ".git/config", kind: "file" },
  // Empty folders in place of these files: git would commit empty files.
  { path: ".mcp.json", kind: "folder" },
  { path: "mcp.lock", kind: "folder" },
  { path: ".scorpiox", kind: "folder" },
  { path: ".claude", kind: "folder" },
  { path: "mcp_servers.json", kind: "folder" },
  // As a whole: `skills` in it is often a link.
  { path: ".agents", kind: "folder" },
  // Tasks, servers and instructions of other programs, most of which ask before they trust a new one: a stand-in for
  // each would cost every command more than it is worth, and editors would see it come and go.
  ...[".vscode", ".cursor", ".codex", ".gemini", ".envrc"].map(
    (path) => ({ path, kind: "folder", isLeftMissing: true }) as const,
  ),
];

const inGitFolder: readonly ProtectedName[] = [
  { path: "hooks", kind: "folder" },
  { path: "config", kind: "file" },
];

const filesOfHome = [
  ".profile",
  ".bashrc",
  ".bash_login",
  ".bash_logout",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".gitconfig",
];
const foldersOfHome = [
  ".config/fish",
  ".config/git",
  ".config/systemd",
  ".config/autostart",
  ".ssh",
  ".scorpiox",
  ".claude",
];

/** A login shell reads the first of three files only: an empty one before the others would hide them. */
const bashProfile: ProtectedName = {
  path: ".bash_profile",
  kind: "file",
  text: 'for file in ~/.bash_login ~/.profile; do if [ -s "$file" ]; then . "$file"; break; fi; done\n',
};

const inHome: readonly ProtectedName[] = [
  ...filesOfHome.map((path) => ({ path, kind: "file" }) as const),
  ...foldersOfHome.map((path) => ({ path, kind: "folder" }) as const),
  bashProfile,
];

/** Folders of this user that are protected wherever they are. All real paths. */
export interface OwnFolders {
  readonly homeDir: string;
  readonly scorpioxDir: string;
}

export interface FoundShield {
  readonly pinned: Shield["pinned"];
  readonly closed: readonly KeptName[];
  /** Paths that do not exist and must not be created: a stand-in takes their place. */
  readonly missing: readonly KeptName[];
}

/**
 * The protected paths below the writable folders.
 * @throws AppError `refused` for a symbolic link in such a place: its target could not be protected
 */
export async function findShield(
  folders: readonly string[],
  own: OwnFolders,
): Promise<FoundShield> {
  const named = await Promise.all(folders.map((folder) => protectedPaths(folder, own)));
  const names = named.flat();
  const between = folders.flatMap((folder) => foldersBetween(folder, folders));
  const found = await Promise.all(names.map(({ root, ...name }) => lookAt(root, name)));
  return {
    pinned: [...between, ...found.flatMap(({ pinned }) => pinned)],
    closed: found.flatMap(({ closed }) => closed),
    missing: found.flatMap(({ missing }) => missing),
  };
}

/**
 * The folders from `inner` up to a folder around it that may be written too: if one were renamed, a link in its place
 * would lead the next command elsewhere.
 */
function foldersBetween(inner: string, folders: readonly string[]): string[] {
  const between: string[] = [];
  for (let at = dirname(inner); folders.some((outer) => isAround(outer, at)); at = dirname(at)) {
    between.push(at);
  }
  return between;
}

const isAround = (outer: string, folder: string): boolean =>
  outer !== folder && isInside(folder, outer);

/**
 * Refuses folders that a sandbox cannot open without also opening a path that must stay closed.
 * @throws AppError `refused`
 */
export function assertProtectable(
  folders: readonly string[],
  { scorpioxDir }: OwnFolders,
  backend: BackendName,
): void {
  const refuse = (folder: string, why: string): never => {
    throw new AppError(
      "refused",
      `SANDBOX=workspace-write cannot open ${folder} for writing: ${why}. Nothing was run. Work in another folder, or with SANDBOX=read-only.`,
    );
  };
  for (const folder of folders) {
    if (folder === "/") refuse(folder, "it is the whole file system");
    if (isInside(folder, scorpioxDir))
      refuse(folder, `it is in ${scorpioxDir}, which stays closed`);
    if (backend !== "landlock") continue;
    const instead = "and Landlock cannot protect a part of an open folder; install bubblewrap";
    if (isInside(scorpioxDir, folder)) refuse(folder, `${scorpioxDir} is in it, ${instead}`);
    const inner = folders.find((other) => isAround(folder, other));
    if (inner !== undefined) refuse(folder, `${inner} is in it, ${instead}`);
  }
}

/** Names for people: the files that `workspace-write` protects in a workspace. */
export const protectedInWorkspace = inEveryFolder.map(({ path }) => path);

async function protectedPaths(
  folder: string,
  { homeDir, scorpioxDir }: OwnFolders,
): Promise<(ProtectedName & { root: string })[]> {
  const below = (base: string, names: readonly ProtectedName[]): ProtectedName[] =>
    isInside(base, folder)
      ? names.map((name) => ({ ...name, path: relative(folder, join(base, name.path)) }))
      : [];
  const scorpiox = below(scorpioxDir, [{ path: ".", kind: "folder" }]);
  const isGit = await isGitFolder(folder);
  const ofGit = [
    ...(isGit ? inGitFolder : []),
    ...(await deeperNames(folder, isGit ? "." : ".git")),
  ];
  const all = [...inEveryFolder, ...ofGit, ...below(homeDir, inHome), ...scorpiox];
  return all.map((name) => ({ ...name, root: folder }));
}

/** A repository itself, as one opens it for a worktree that is elsewhere. */
async function isGitFolder(folder: string): Promise<boolean> {
  const parts = ["HEAD", "objects"].map((name) => lstat(join(folder, name)));
  return (await Promise.allSettled(parts)).every(({ status }) => status === "fulfilled");
}

/** Follows the parts of a path below `root` as far as they exist. */
async function lookAt(root: string, wanted: ProtectedName): Promise<FoundShield> {
  const parts = wanted.path.split("/");
  const pinned: string[] = [];
  let at = root;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    const isLast = index === parts.length - 1;
    const name: KeptName = isLast ? { ...wanted, path: at } : { path: at, kind: "folder" };
    const stats = await lstat(at).catch(() => undefined);
    if (stats === undefined) {
      if (wanted.isLeftMissing === true) return { pinned: [], closed: [], missing: [] };
      return { pinned, closed: [], missing: [name] };
    }
    if (stats.isSymbolicLink()) throw linkRefusal(at);
    // `.git` is a file where the repository is elsewhere: that file is kept.
    // An empty folder may be a stand-in, and nothing may come to be in that: as a whole it is kept.
    const isWhole = isLast || !stats.isDirectory() || (await isEmptyFolder(at));
    if (isWhole) return { pinned, closed: [name], missing: [] };
    pinned.push(at);
  }
  return { pinned, closed: [], missing: [] };
}

function linkRefusal(path: string): AppError {
  return new AppError(
    "refused",
    `The sandbox cannot protect ${path}: it is a symbolic link. Nothing was run. ` +
      "Replace the link with the file itself, or work with SANDBOX=read-only.",
  );
}
