import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join } from "node:path";

import {
  loginsFileName,
  secretNamesFileName,
  secretsFolderName,
  trustFileName,
} from "../../base/own-files.ts";
import { serverFileLookMs, serverFileSettleMs } from "../../base/upstream-limits.ts";
import { appearanceOf } from "../../base/file-appearance.ts";
import { loadUpstreamConfig, readUpstreamConfig } from "./load-upstream-config.ts";
import type { UpstreamConfig } from "./server-entry.ts";
import type { UpstreamConfigParts } from "./upstream-start.ts";

/**
 * Reports when one of some files has changed, appeared or disappeared. Folders are watched where the system supports
 * it, for speed; in addition, all files are checked every 1.5 s, which works on every file system and follows links.
 * Never throws.
 */
class FileChanges implements Disposable {
  readonly #tell: (files: readonly string[]) => void;
  readonly #seen = new Map<string, string>();
  readonly #watchers = new Map<string, FSWatcher>();
  #files: ReadonlySet<string> = new Set();
  #changed = new Set<string>();
  readonly #looks: ReturnType<typeof setInterval>;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #isLooking = false;
  /** Files that are added later may have changed since they were read: they are treated as changed. */
  #hasLooked = false;
  #isClosed = false;

  /** @param tell receives the files that have changed, once they have not changed again for a moment */
  constructor(tell: (files: readonly string[]) => void) {
    this.#tell = tell;
    this.#looks = setInterval(() => void this.#look(), serverFileLookMs).unref();
  }

  /** How each file looked at the last check. */
  get appearances(): Appearances {
    return new Map(this.#seen);
  }

  /** Checks these files from now on; they need not exist. Resolves after the first check. */
  async watch(files: readonly string[]): Promise<void> {
    this.#files = new Set(files);
    for (const file of this.#seen.keys()) if (!this.#files.has(file)) this.#seen.delete(file);
    this.#watchFolders();
    await this.#look();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#looks);
    clearTimeout(this.#settling);
    for (const folder of this.#watchers.keys()) this.#unwatch(folder);
  }

  /** Folders appear and disappear: those that exist are watched, for the others the regular checks must do. */
  #watchFolders(): void {
    const folders = new Set([...this.#files].map((file) => dirname(file)));
    for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#unwatch(folder);
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watchFolder(folder);
  }

  #watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || this.#hasFileNamed(name)) this.#settle();
      });
      watcher.on("error", () => this.#unwatch(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // No such folder, or no more watches available: the regular checks notice the changes.
    }
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #hasFileNamed(name: string): boolean {
    for (const file of this.#files) if (basename(file) === name) return true;
    return false;
  }

  /** Checks once the writer has finished. */
  #settle(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => void this.#look(), serverFileSettleMs).unref();
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#isClosed) return;
    this.#isLooking = true;
    const before = this.#changed.size;
    for (const file of this.#files) await this.#lookAt(file);
    this.#isLooking = false;
    this.#hasLooked = true;
    if (this.#changed.size > before) {
      this.#watchFolders();
      return this.#settle();
    }
    if (this.#changed.size === 0 || this.#isClosed) return;
    const changed = [...this.#changed];
    this.#changed = new Set();
    this.#tell(changed);
  }

  async #lookAt(file: string): Promise<void> {
    const seen = this.#seen.get(file);
    const now = await appearanceOf(file);
    this.#seen.set(file, now);
    if (seen === undefined ? this.#hasLooked : seen !== now) this.#changed.add(file);
  }
}

/** Files, and how each looked (`appearanceOf`). */
export type Appearances = ReadonlyMap<string, string>;

/** A change of a watched file. */
export interface UpstreamConfigChange {
  /** The configuration, read again. A file that cannot be used at the moment keeps its last good version (CN15). */
  readonly config: UpstreamConfig;
  /** `trust.json` has changed: approvals must be checked again. */
  readonly hasTrustChanged: boolean;
  /** All watched files, before the configuration was read. */
  readonly appearances: Appearances;
}

/** The files that change with a login or a secret of the user's, after which servers that wait for one can be used. */
const secretFileNames = [loginsFileName, join(secretsFolderName, secretNamesFileName)];

/**
 * Watches every place that configuration may come from, missing ones included, and reports the whole new configuration
 * within 2 s. Never throws; errors of `onChange` are its own.
 * @param known the configuration that was read before: if it has changed by the time all places are watched, `onChange`
 * is called
 * @param onWatching called once, when every later change is noticed: approvals that are read after that are not missed
 * @returns a function that ends it
 */
export function watchUpstreamConfig(
  parts: UpstreamConfigParts,
  onChange: (change: UpstreamConfigChange) => void,
  known: UpstreamConfig = loadUpstreamConfig(parts),
  onWatching: (appearances: Appearances) => void = () => {},
): () => void {
  const withMemory = { ...parts, lastGood: parts.lastGood ?? new Map() };
  const { scorpioxDir } = parts.dirs;
  const trustFile = join(scorpioxDir, trustFileName);
  const own = [trustFile, ...secretFileNames.map((name) => join(scorpioxDir, name))];
  let isEnded = false;
  /** Also watches the files that the configuration names by now. */
  const read = (): UpstreamConfig => {
    const { config, files } = readUpstreamConfig(withMemory);
    void changes.watch([...files, ...own]);
    return config;
  };
  const changes = new FileChanges((changed) => {
    const { appearances } = changes;
    onChange({ config: read(), hasTrustChanged: changed.includes(trustFile), appearances });
  });
  const { files } = readUpstreamConfig(withMemory);
  void changes.watch([...files, ...own]).then(() => {
    const { appearances } = changes;
    onWatching(appearances);
    if (isEnded) return;
    const config = read();
    if (textOf(config) !== textOf(known)) onChange({ config, hasTrustChanged: false, appearances });
  });
  return () => {
    isEnded = true;
    changes[Symbol.dispose]();
  };
}

function textOf(config: UpstreamConfig): string {
  return JSON.stringify({ ...config, servers: [...config.servers] });
}
