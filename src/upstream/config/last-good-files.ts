import type { RawEntry } from "./json-shapes.ts";

/** The entries of one file, with the lines in which they begin where that is known. */
export interface RawServerFile {
  readonly entries: readonly (RawEntry & { readonly line?: number })[];
}

/** What each file said when it could last be used: an editor that writes half a file takes no server away (CN15). */
export class LastGoodFiles {
  readonly #files = new Map<string, RawServerFile>();

  keep(file: string, content: RawServerFile): void {
    this.#files.set(file, content);
  }

  forget(file: string): void {
    this.#files.delete(file);
  }

  get(file: string): RawServerFile | undefined {
    return this.#files.get(file);
  }
}
