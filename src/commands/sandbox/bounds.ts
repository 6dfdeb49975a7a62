/** What may be written: everything, the workspace, or nothing but what is listed. */
export type SandboxMode = "off" | "workspace-write" | "read-only";

export type BackendName = "bubblewrap" | "landlock" | "seatbelt";

/** The bounds of one command, as every backend is told them. All paths are real ones. */
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

/** What stays as it is below the folders that may be written. */
export interface Shield {
  /** Folders between a writable one and what is protected: renaming one would carry that away. */
  readonly pinned: readonly string[];
  /** Files and folders that exist, or have a stand-in. */
  readonly closed: readonly string[];
}

/** What cannot be read either: it exists, and holds secrets of this program. */
export interface Hidden {
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

export const nothingHidden: Hidden = { folders: [], files: [] };

export const noShield: Shield = { pinned: [], closed: [] };
