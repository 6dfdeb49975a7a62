import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { sha256Hex } from "../base/digests.ts";
import { AppError, messageOf } from "../base/errors.ts";
import { isFileLocked } from "../config/file-lock.ts";
import { replaceFile } from "../config/replace-file.ts";
import { parseOwnJson } from "../base/values.ts";
import type { Entry } from "./install-targets.ts";

/** A server of the client before and after a change; null: there was none. */
interface RecordedEntry {
  readonly name: string;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** Servers and secrets that a change has added on this side; undoing it removes them. */
export interface MovedServers {
  /** The file of servers. */
  readonly file: string;
  readonly servers: readonly string[];
  readonly secrets: readonly string[];
  /** SHA-256 of each entry as it was added: one that the user has changed since stays. Absent in older logs. */
  readonly digests?: Readonly<Record<string, string>>;
  /** Servers that were here already, with the same settings, and so are this client's too now. */
  readonly shared?: readonly string[];
}

/** One change of a client's configuration, as `undo` needs it. */
export interface ChangeRecord {
  /** Names its backup. */
  readonly id: string;
  readonly kind: "install" | "uninstall";
  /** The client's id. */
  readonly client: string;
  readonly file: string;
  /** ISO 8601. */
  readonly at: string;
  /** SHA-256 of the file before and after, in hexadecimal; null: there was none. */
  readonly before: string | null;
  readonly after: string | null;
  readonly entries: readonly RecordedEntry[];
  /** The project whose file it is: a link must not lead out of it. */
  readonly insideDir?: string;
  /** The user's own servers that were taken over from this client. */
  readonly moved?: MovedServers;
  /** The client's own command made the change: its command undoes it too. */
  readonly isByCommand?: true;
  /** The first folder that had to be made for the file. */
  readonly madeDir?: string;
  /** It, or undoing it, has begun and not ended: another process is at it, or was killed. */
  readonly underWay?: "change" | "undo";
  /** When it began: ISO 8601. */
  readonly since?: string;
}

/** The most changes that are kept; the oldest one loses its backup. */
const recordsMax = 200;

/**
 * The changes of clients' files and the copies from before, in `~/.scorpiox/installs`, which only the user may read: the files
 * may hold tokens. Callers hold the lock of its folder.
 */
export class ChangeLog {
  readonly #dir: string;

  constructor(scorpioxDir: string) {
    this.#dir = join(scorpioxDir, "installs");
  }

  /** The file to lock while a change is made. */
  get lockFile(): string {
    return join(this.#dir, "changes");
  }

  /** Some process is making or settling changes now. */
  get isBusy(): boolean {
    return isFileLocked(this.lockFile);
  }

  get file(): string {
    return join(this.#dir, "changes.json");
  }

  /** The oldest one first. @throws {AppError} `config` for a log that cannot be read */
  records(): readonly ChangeRecord[] {
    const { file } = this;
    if (!existsSync(file)) return [];
    try {
      const log = parseOwnJson<{ readonly changes: readonly ChangeRecord[] }>(
        readFileSync(file, "utf8"),
      );
      return log.changes;
    } catch (error) {
      const how = "Move it away to go on; the changes in it can then no longer be undone";
      throw new AppError("config", `${file} cannot be read (${messageOf(error)}). ${how}.`);
    }
  }

  /** Keeps the change, and the bytes from before, before it is made. */
  add(record: ChangeRecord, before: Uint8Array | undefined): void {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    if (before !== undefined) replaceFile(this.#backup(record.id), before);
    const records = [...this.records(), record];
    this.#write(records.slice(-recordsMax));
  }

  /** Replaces the record of that id. */
  update(record: ChangeRecord): void {
    this.#write(this.records().map((one) => (one.id === record.id ? record : one)));
  }

  /** Keeps the bytes that are about to be written into the file itself, and those that are there: a kill may leave both mixed. */
  keepThrough({ id }: ChangeRecord, was: Uint8Array, next: Uint8Array): void {
    replaceFile(this.#through(id, "was"), was);
    replaceFile(this.#through(id, "next"), next);
  }

  /** Both as `keepThrough` kept them; undefined: the file was replaced as a whole, or not at all. */
  throughOf({
    id,
  }: ChangeRecord): { readonly was: Uint8Array; readonly next: Uint8Array } | undefined {
    const [was, next] = [this.#through(id, "was"), this.#through(id, "next")];
    if (!existsSync(was) || !existsSync(next)) return undefined;
    return { was: readFileSync(was), next: readFileSync(next) };
  }

  /** The change is undone. */
  remove({ id }: ChangeRecord): void {
    this.#write(this.records().filter((record) => record.id !== id));
  }

  /** The file from before the change, whose bytes are undefined when there was none; undefined for a lost copy. */
  backupOf({ id, before }: ChangeRecord): { readonly bytes: Uint8Array | undefined } | undefined {
    if (before === null) return { bytes: undefined };
    const path = this.#backup(id);
    const bytes = existsSync(path) ? readFileSync(path) : undefined;
    return digestOf(bytes) === before ? { bytes } : undefined;
  }

  #backup(id: string): string {
    return join(this.#dir, `${id}.before`);
  }

  #through(id: string, which: "was" | "next"): string {
    return join(this.#dir, `${id}.${which}`);
  }

  #write(changes: readonly ChangeRecord[]): void {
    replaceFile(this.file, `${JSON.stringify({ version: 1, changes }, undefined, 2)}\n`);
    this.#sweep(changes);
  }

  /** Removes copies that belong to no change any more, also what killed processes have left: they may hold tokens. */
  #sweep(changes: readonly ChangeRecord[]): void {
    const wanted = changes.flatMap(({ id, underWay }) => [
      `${id}.before`,
      ...(underWay === undefined ? [] : [`${id}.was`, `${id}.next`]),
    ]);
    for (const name of readdirSync(this.#dir)) {
      const isCopy = /\.(?:before|was|next|tmp)$/.test(name);
      if (isCopy && !wanted.includes(name)) rmSync(join(this.#dir, name), { force: true });
    }
  }
}

/** SHA-256 in hexadecimal; null for a missing file. */
export function digestOf(bytes: Uint8Array): string;
export function digestOf(bytes: Uint8Array | undefined): string | null;
export function digestOf(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : sha256Hex(bytes);
}
