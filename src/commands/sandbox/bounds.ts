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
