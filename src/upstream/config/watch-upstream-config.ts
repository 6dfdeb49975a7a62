import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { serverFileLookMs, serverFileSettleMs } from "../../base/upstream-limits.ts";
import { loadUpstreamConfig, readUpstreamConfig } from "./load-upstream-config.ts";
import { LastGoodFiles } from "./read-server-file.ts";
import type { UpstreamConfig } from "./server-entry.ts";
import type { UpstreamConfigParts } from "./upstream-start.ts";

/**
 * Tells when one of some files has changed, came or went. Folders are watched where the system can, for promptness; all
 * files are looked at every 1.5 s all the same, which works on every file system and sees through links. Never throws.
 */
class FileChanges {
  readonly #tell: (files: readonly string[]) => void;
  readonly #seen = new Map<string, string>();
  readonly #watchers = new Map<string, FSWatcher>();
  #files: ReadonlySet<string> = new Set();
  #changed = new Set<string>();
  readonly #looks: ReturnType<typeof setInterval>;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #isLooking = false;
  /** Files that are named later may have changed since they were read: they count as changed. */
  #hasLooked = false;
  #isClosed = false;

  /** @param tell told of the files that have changed, once they have been quiet for a moment */
  constructor(tell: (files: readonly string[]) => void) {
    this.#tell = tell;
    this.#looks = setInterval(() => void this.#look(), serverFileLookMs).unref();
  }

  /** Looks at these files from now on, which need not be there. Resolves after the first look. */
  async watch(files: readonly string[]): Promise<void> {
    this.#files = new Set(files);
    for (const file of this.#seen.keys()) if (!this.#files.has(file)) this.#seen.delete(file);
    this.#watchFolders();
    await this.#look();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#looks);
    clearTimeout(this.#settling);
    for (const folder of this.#watchers.keys()) this.#unwatch(folder);
  }

  /** Folders come and go: those that are there are watched, the others are left to the looks. */
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
      // No such folder, or no more watches to be had: the looks see what is missed.
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

  /** Waits for the writer to be done, and looks. */
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
    const now = await appearance(file);
    this.#seen.set(file, now);
    if (seen === undefined ? this.#hasLooked : seen !== now) this.#changed.add(file);
  }
}

async function appearance(file: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(file);
    return [ino, size, mtimeMs, ctimeMs].join();
  } catch {
    return "none";
  }
}

/** Told with each change of a watched place. */
export interface UpstreamConfigChange {
  /** Read anew. A file that cannot be used for the moment counts with what it last said (CN15). */
  readonly config: UpstreamConfig;
  /** `trust.json` has changed: approvals have to be looked at again. */
  readonly hasTrustChanged: boolean;
}

/** Where approvals are kept. */
const trustFileName = "trust.json";
/** What changes with a login, and with a secret of the user's: servers that wait for one can be used. */
const secretFileNames = ["logins.json", join("secrets", "names.json")];

/**
 * Watches every place that configuration may come from, those that are not there yet included, and tells of the whole new
 * configuration within 2 s. Never throws, and what `onChange` throws is its own fault.
 * @param known what was read before: if that is no longer true by the time all places are watched, `onChange` is told
 * @param onWatching told once, when every change from then on is noticed: approvals that are read after that are not missed
 * @returns what ends it
 */
export function watchUpstreamConfig(
  parts: UpstreamConfigParts,
  onChange: (change: UpstreamConfigChange) => void,
  known: UpstreamConfig = loadUpstreamConfig(parts),
  onWatching: () => void = () => {},
): () => void {
  const withMemory = { ...parts, lastGood: parts.lastGood ?? new LastGoodFiles() };
  const { scorpioxDir } = parts.dirs;
  const trustFile = join(scorpioxDir, trustFileName);
  const own = [trustFile, ...secretFileNames.map((name) => join(scorpioxDir, name))];
  let isEnded = false;
  /** Also watches the places that the files name by now. */
  const read = (): UpstreamConfig => {
    const { config, files } = readUpstreamConfig(withMemory);
    void changes.watch([...files, ...own]);
    return config;
  };
  const changes = new FileChanges((changed) => {
    onChange({ config: read(), hasTrustChanged: changed.includes(trustFile) });
  });
  const { files } = readUpstreamConfig(withMemory);
  void changes.watch([...files, ...own]).then(() => {
    onWatching();
    if (isEnded) return;
    const config = read();
    if (textOf(config) !== textOf(known)) onChange({ config, hasTrustChanged: false });
  });
  return () => {
    isEnded = true;
    changes.close();
  };
}

function textOf(config: UpstreamConfig): string {
  return JSON.stringify({ ...config, servers: [...config.servers] });
}
