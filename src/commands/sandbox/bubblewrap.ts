import type { Bounds } from "./bounds.ts";

/** Where the filter of system calls is read from. */
const filterFd = 3;

/**
 * The arguments of `bwrap` for a command within `bounds`, up to the command itself. The command gets a
 * view of the files of its own, in which later mounts cover earlier ones, and namespaces for processes
 * and shared memory; it ends with bwrap, which ends with the server.
 * @param isRoot the kernel's settings belong to it, and bwrap leaves `/proc/sys` open: they name programs that the
 * kernel starts
 */
export function bubblewrapArguments(bounds: Bounds, isRoot: boolean): string[] {
  const { mode, hasNetwork, cwd, writable, shield, hidden } = bounds;
  const files =
    mode === "off"
      ? [["--dev-bind", "/", "/"]]
      : [
          ["--ro-bind", "/", "/"],
          ["--dev", "/dev"],
          ...bind("--bind", writable),
          ...bind("--bind", shield.pinned),
          ...bind("--ro-bind", shield.closed),
        ];
  return [
    ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"],
    hasNetwork ? [] : ["--unshare-net"],
    ["--seccomp", String(filterFd)],
    ...files,
    ...hidden.folders.map((path) => ["--tmpfs", path, "--remount-ro", path]),
    // A device, which nothing on this kind of mount opens.
    ...hidden.files.map((path) => ["--ro-bind", "/dev/null", path]),
    ["--proc", "/proc", ...(isRoot && mode !== "off" ? ["--remount-ro", "/proc"] : [])],
    ["--chdir", cwd, "--"],
  ].flat();
}

/** Outer folders first, so that no mount is covered by that of a folder around it. */
function bind(how: string, paths: readonly string[]): string[][] {
  const sorted = [...new Set(paths)].sort((one, other) => one.length - other.length);
  return sorted.map((path) => [how, path, path]);
}
