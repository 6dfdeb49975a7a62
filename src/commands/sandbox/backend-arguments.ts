/** The writable part of the file system: everything, the workspace, or only the listed paths. */
export type SandboxMode = "off" | "workspace-write" | "read-only";

export type BackendName = "bubblewrap" | "landlock" | "seatbelt";

/** The bounds of one command, as every backend receives them. All paths are real ones. */
export interface Bounds {
  /** `off`: files are not restricted; it is the network alone that is kept away. */
  readonly mode: SandboxMode;
  readonly hasNetwork: boolean;
  readonly cwd: string;
  /** Folders and files that may be written, the private TMPDIR among them. */
  readonly writable: readonly string[];
  readonly shield: Shield;
  readonly hidden: Hidden;
}

/** Paths below the writable folders that stay unchanged. */
export interface Shield {
  /** Folders between a writable one and a protected path: renaming one would carry the protected path away. */
  readonly pinned: readonly string[];
  /** Files and folders that exist, or have a stand-in. */
  readonly closed: readonly string[];
}

/** Paths that cannot be read either: they exist, and hold secrets of this program. */
export interface Hidden {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

export const nothingHidden: Hidden = { folders: [], files: [] };

export const noShield: Shield = { pinned: [], closed: [] };

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

/** The system's own program; one of that name on PATH may be anybody's. */
export const sandboxExec = "/usr/bin/sandbox-exec";

/** Devices that commands commonly write to, and those of their output. */
const devices = ["/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];

/** Names are resolved through this socket. */
const nameServer = "/private/var/run/mDNSResponder";

/** The arguments of `sandbox-exec` (macOS) for a command within `bounds`, up to the command itself. */
export function seatbeltArguments(bounds: Bounds): string[] {
  return ["-p", seatbeltProfile(bounds)];
}

/** The last matching rule applies. */
export function seatbeltProfile({ mode, hasNetwork, writable, shield, hidden }: Bounds): string {
  const rules = ["(version 1)", "(allow default)"];
  if (mode !== "off") {
    rules.push(
      "(deny file-write*)",
      `(allow file-write* (subpath "/dev/fd") ${devices.map(literal).join(" ")})`,
      ...writable.map((path) => `(allow file-write* ${subpath(path)})`),
      ...shield.closed.map((path) => `(deny file-write* ${subpath(path)})`),
      ...shield.pinned.map((path) => `(deny file-write-unlink ${literal(path)})`),
    );
  }
  const secrets = [...hidden.folders, ...hidden.files];
  rules.push(...secrets.map((path) => `(deny file-read* file-write* ${subpath(path)})`));
  // Servers of this machine can be reached by the path of their socket, and write for the asker.
  rules.push('(deny network-outbound (subpath "/"))');
  rules.push(hasNetwork ? `(allow network-outbound ${literal(nameServer)})` : "(deny network*)");
  return rules.join("\n");
}

const subpath = (path: string): string => `(subpath ${quoted(path)})`;
const literal = (path: string): string => `(literal ${quoted(path)})`;

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** The settings of the child that confines itself (`__sandbox`), as JSON. */
export interface LandlockRules {
  /** Folders and files that may be written. */
  readonly writable: readonly string[];
}

/** Rights to files that a ruleset governs, by their bit (landlock(7)). Reading and running are left alone. */
const rights = {
  writeFile: 1n << 1n,
  removeDir: 1n << 4n,
  removeFile: 1n << 5n,
  makeChar: 1n << 6n,
  makeDir: 1n << 7n,
  makeReg: 1n << 8n,
  makeSock: 1n << 9n,
  makeFifo: 1n << 10n,
  makeBlock: 1n << 11n,
  makeSym: 1n << 12n,
  refer: 1n << 13n,
  truncate: 1n << 14n,
  ioctlDev: 1n << 15n,
} as const;

/** Before version 3 (Linux 6.2) truncate(2) empties any file in spite of all rules. */
export const landlockVersionMin = 3;

/** `struct landlock_ruleset_attr`: rights to files, to the network, and scopes; older kernels know less of it. */
export function rulesetAttributes(version: number): BigUint64Array {
  const all = Object.values(rights).reduce((sum, right) => sum | right, 0n);
  const files = version >= 5 ? all : all & ~rights.ioctlDev;
  if (version < 4) return new BigUint64Array([files]);
  if (version < 6) return new BigUint64Array([files, 0n]);
  // Abstract sockets and signals reach only processes within the same bounds.
  return new BigUint64Array([files, 0n, 0b11n]);
}

/** The rights granted below a path: no devices are made anywhere. */
export function grantedRights(handled: bigint, isFolder: boolean): bigint {
  const ofFiles = rights.writeFile | rights.truncate | rights.ioctlDev;
  const granted = isFolder ? handled & ~(rights.makeChar | rights.makeBlock) : ofFiles;
  return handled & granted;
}

/** Devices that commands write to as a matter of course. */
const landlockDevices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

export function landlockRules({ writable }: Bounds): LandlockRules {
  return { writable: [...writable, ...landlockDevices] };
}
