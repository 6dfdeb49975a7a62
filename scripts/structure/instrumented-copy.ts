import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { instrument } from "./instrument.ts";
import { layout, recordingName } from "./recorder.ts";

/** Where files were entered, and what with. */
export interface Seen {
  /** Files of `src/` of which a function ran. */
  readonly entered: ReadonlySet<string>;
  /** Those in which a function was given the marker, three members deep at most. */
  readonly handed: ReadonlySet<string>;
  /** Those of which a function gave the marker to a function of another file. */
  readonly handsOn: ReadonlySet<string>;
  /** Those in which a function was given text or bytes with the marker, or a member with them. */
  readonly chunk: ReadonlySet<string>;
}

/** Sources that tell which of their functions run, and the switch for it. */
export class InstrumentedCopy {
  readonly #folder: string;
  readonly #paths: readonly string[];
  readonly #shared: Uint8Array;

  /**
   * Rewrites the files of `src/` in `folder`.
   * @throws Error when one does not parse
   */
  constructor(folder: string) {
    this.#folder = folder;
    const recorder = join(folder, "recorder.ts");
    copyFileSync(join(import.meta.dir, "recorder.ts"), recorder);
    writeFileSync(join(folder, recordingName), new Uint8Array(layout.size));
    this.#shared = Bun.mmap(join(folder, recordingName));
    const source = join(folder, "src");
    this.#paths = readdirSync(source, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
      .map((entry) => relative(source, join(entry.parentPath, entry.name)))
      .sort();
    if (this.#paths.length > layout.filesMax) throw new Error("more files than the tables have");
    for (const [file, path] of this.#paths.entries()) {
      const text = readFileSync(join(source, path), "utf8");
      writeFileSync(join(source, path), instrument(path, text, file, recorder));
    }
  }

  /** The program's own file. */
  get main(): string {
    return join(this.#folder, "src/main.ts");
  }

  /** What ran while `work` was done. `marker` is what is looked for in parameters; empty for nothing. */
  async record(marker: string, work: () => Promise<void>): Promise<Seen> {
    const bytes = Buffer.from(marker);
    if (bytes.length > layout.markerBytesMax) throw new Error("too long a marker");
    this.#shared.fill(0);
    this.#shared[layout.markerBytes] = bytes.length;
    this.#shared.set(bytes, layout.marker);
    this.#shared[layout.isOn] = 1;
    try {
      await work();
    } finally {
      this.#shared[layout.isOn] = 0;
    }
    return {
      entered: this.#pathsIn(layout.entered),
      handed: this.#pathsIn(layout.handed),
      handsOn: this.#pathsIn(layout.handsOn),
      chunk: this.#pathsIn(layout.chunk),
    };
  }

  #pathsIn(table: number): Set<string> {
    return new Set(this.#paths.filter((_, file) => this.#shared[table + file] === 1));
  }
}
