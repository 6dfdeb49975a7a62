import type { Hidden } from "../backend-arguments.ts";
import type { SystemView } from "./system-view.ts";

/** The folders of one principal; all real paths. */
export interface PrincipalFolders {
  /** Where its commands work. */
  readonly work: string;
  /** HOME of its commands. */
  readonly home: string;
  /** Its plans; commands read them, and write the one of plan mode. */
  readonly plans: string;
}

/** The view of the machine that one command of a principal has. All paths are real ones. */
export interface PrincipalView {
  readonly system: SystemView;
  readonly principal: PrincipalFolders;
  /** Folders that every principal may read, such as skills. */
  readonly shared: readonly string[];
  /** Files and folders in those that are seen, which nobody may read. */
  readonly hidden: Hidden;
  /** A folder of this command alone: its `/tmp`. */
  readonly tmpDir: string;
  readonly cwd: string;
  /** Workspace and home may be read only, and this file be written: plan mode; or no file. */
  readonly readOnly?: { readonly planFile: string | undefined };
  readonly hasNetwork: boolean;
  /** The server runs as root: the kernel's settings belong to it. */
  readonly isRoot: boolean;
}

/** Where the filter of system calls is read from. */
const filterFd = 3;
/** Where commands find the folder of their temporary files. */
export const viewedTmp = "/tmp";
/** In the folder of temporary files: shared memory, which would otherwise be memory that nothing limits. */
export const shmFolder = ".shm";

/**
 * The arguments of `bwrap`, up to the command. The view begins empty: what is not named here does not exist in it. Processes,
 * shared memory and, unless it is wanted, the network are of its own.
 */
export function viewArguments(view: PrincipalView): string[] {
  const { system, principal, shared, hidden, tmpDir, cwd, readOnly, hasNetwork, isRoot } = view;
  const { work, home, plans } = principal;
  const how = readOnly === undefined ? "--bind" : "--ro-bind";
  const planFile = readOnly?.planFile;
  return [
    [
      "--die-with-parent",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-cgroup-try",
    ],
    // A user namespace has a count of processes of its own. Root is not counted.
    isRoot ? [] : ["--unshare-user"],
    hasNetwork ? [] : ["--unshare-net"],
    ["--cap-drop", "ALL", "--hostname", "sandbox", "--seccomp", String(filterFd)],
    system.mounts,
    ["--dev", "/dev", "--dir", "/run", "--dir", "/var"],
    ["--bind", tmpDir, viewedTmp, "--bind", `${tmpDir}/${shmFolder}`, "/dev/shm"],
    ["--symlink", `..${viewedTmp}`, "/var/tmp"],
    ...shared.map((path) => ["--ro-bind-try", path, path]),
    [how, work, work, how, home, home, "--ro-bind", plans, plans],
    planFile === undefined ? [] : ["--bind", planFile, planFile],
    ...hidden.folders.map((path) => ["--tmpfs", path, "--remount-ro", path]),
    // A device, which nothing on this kind of mount opens.
    ...hidden.files.map((path) => ["--ro-bind", "/dev/null", path]),
    ["--proc", "/proc", ...(isRoot ? ["--remount-ro", "/proc"] : [])],
    ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", cwd, "--"],
  ].flat();
}
