import { lstatSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";
import { type ChangeRecord, digestOf, type MovedServers } from "./change-log.ts";
import { readEntry, setEntry } from "./edit/entry-text.ts";
import type { EditableClient } from "./find-client.ts";
import { type Entry, entryName } from "./install-targets.ts";

/** A server of the client before and after a change; undefined: there is none. */
interface EntryChange {
  readonly name: string;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

/** The entries to be: undefined removes a server. */
export type WantedEntries = ReadonlyMap<string, Entry | undefined>;

/** The change of one file, worked out and shown before it is made; it is bound to the bytes that were read. */
export interface FileChange {
  readonly kind: ChangeRecord["kind"];
  readonly client: EditableClient;
  readonly file: string;
  /** The servers that the change adds, alters or removes. */
  readonly entries: readonly EntryChange[];
  /** Undefined: there is, or will be, no file. */
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array | undefined;
  /** It undoes this one. */
  readonly undoes?: ChangeRecord;
  /** The file must be in here after following links: a repository may hold a link to anywhere. */
  readonly insideDir?: string | undefined;
}

/** A client's file may hold its whole history. */
const fileBytesMax = 32 * 1024 * 1024;

/** The bytes of a regular file; undefined when it is missing. @throws {AppError} `config`, `limit`, `system` */
export function readClientFile(file: string): Uint8Array | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) {
      if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
      const target = resolve(dirname(file), readlinkSync(file));
      throw new AppError(
        "config",
        `${file} is a link to ${target}, which does not exist. Create that file, or remove the link, and try again.`,
      );
    }
    // Reading a pipe in its place would block.
    if (!stats.isFile()) throw new AppError("config", `${file} is not a file.`);
    if (stats.size > fileBytesMax) {
      throw new AppError("limit", `${file} is larger than ${fileBytesMax} bytes.`);
    }
    return readFileSync(file);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (systemCodeOf(error) === "ENOTDIR") return undefined;
    throw new AppError("system", `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * The change that gives the client these entries. Undefined when the file already has them so.
 * @throws {AppError} `config` for a file that cannot be read or edited
 */
export function planChange(
  kind: FileChange["kind"],
  client: EditableClient,
  file: string,
  wanted: WantedEntries,
): FileChange | undefined {
  const before = readClientFile(file);
  try {
    let text = textOf(before);
    const entries: EntryChange[] = [];
    for (const [name, after] of wanted) {
      const entryBefore = readEntry(file, text, client.home, name);
      if (Bun.deepEquals(entryBefore, after)) continue;
      text = setEntry(file, text, client.home, name, after);
      entries.push({ name, before: entryBefore, after });
    }
    if (entries.length === 0) return undefined;
    return { kind, client, file, entries, before, after: new TextEncoder().encode(text) };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "config") throw error;
    throw new AppError("config", `${file} ${error.message}; it was not changed.`);
  }
}

/** Members of an entry that say what it starts, and whether. The user or the client owns the others: `env`, limits, approvals. */
const ownMembers = ["type", "source", "name", "command", "cmd", "args", "enabled", "disabled"];

/** Our entry, with the members that others have added to the one that is there and starts a program too. */
export function withKeptMembers(client: EditableClient, file: string, entry: Entry): Entry {
  let there: Entry | undefined;
  try {
    there = readEntry(file, textOf(readClientFile(file)), client.home, entryName);
  } catch (error) {
    // `planChange` says why.
    if (error instanceof AppError) return entry;
    throw error;
  }
  if (there?.["command"] === undefined && there?.["cmd"] === undefined) return entry;
  const own = Object.entries(entry).filter(([key]) => ownMembers.includes(key));
  return { ...entry, ...there, ...Object.fromEntries(own) };
}

/** @throws {AppError} `config` for bytes that are not UTF-8; it completes "FILE " */
export function textOf(bytes: Uint8Array | undefined): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      bytes ?? new Uint8Array(),
    );
  } catch {
    throw new AppError("config", "is not UTF-8 text");
  }
}

/** The change as the log keeps it. */
export function recordOf(change: FileChange, moved?: MovedServers): ChangeRecord {
  const { kind, client, file, entries, before, after, insideDir } = change;
  return {
    id: crypto.randomUUID(),
    kind,
    client: client.id,
    file,
    at: new Date().toISOString(),
    before: digestOf(before),
    after: digestOf(after),
    entries: entries.map((entry) => ({
      name: entry.name,
      before: entry.before ?? null,
      after: entry.after ?? null,
    })),
    ...(insideDir !== undefined && { insideDir }),
    ...(moved !== undefined && { moved }),
  };
}
