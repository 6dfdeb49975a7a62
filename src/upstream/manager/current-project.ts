import type { ConfigDirs } from "../../config/places.ts";

/** The project whose servers there are, and the folders of the client: both may change while we run. */
export class CurrentProject {
  /** The same object for as long as we run; its `projectDir` is the present one. */
  readonly dirs: ConfigDirs;
  #folders: readonly string[] = [];
  #projectDir: string | undefined;

  constructor(dirs: ConfigDirs) {
    this.#projectDir = dirs.projectDir;
    const current = (): string | undefined => this.#projectDir;
    this.dirs = {
      ...dirs,
      get projectDir() {
        return current();
      },
    };
  }

  /** What the client offers, the project's folder where it offers nothing. */
  get folders(): readonly string[] {
    if (this.#folders.length > 0) return this.#folders;
    return this.#projectDir === undefined ? [] : [this.#projectDir];
  }

  /** Says what has changed. */
  become(
    projectDir: string | undefined,
    folders: readonly string[],
  ): { readonly project: boolean; readonly folders: boolean } {
    const before = [this.#projectDir, JSON.stringify(this.folders)];
    this.#projectDir = projectDir;
    this.#folders = folders;
    return {
      project: before[0] !== projectDir,
      folders: before[1] !== JSON.stringify(this.folders),
    };
  }
}
