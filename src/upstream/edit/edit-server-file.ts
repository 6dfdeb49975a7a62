import { rmSync, statSync } from "node:fs";
import { join } from "node:path";

import { sha256Hex } from "../../base/digests.ts";
import { AppError, messageOf } from "../../base/errors.ts";
import { withFileLock } from "../../config/file-lock.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import { type EditTarget, replaceFile, resolveTarget } from "../../config/replace-file.ts";
import { type NewEntry, type ServerText, serverTextOf } from "./server-text.ts";

/** The file of servers to change. */
export interface ServerFileTarget extends EditTarget {
  /** `~/.scorpiox`: locks are kept there, so that none is left behind in a project. */
  readonly scorpioxDir: string;
  /** True for a file of the user: only the user may read it afterwards, whatever its mode was. */
  readonly isPrivate: boolean;
}

/** The result of `addServers`, by server name. */
export interface AddedServers {
  readonly added: readonly string[];
  readonly replaced: readonly string[];
  /** Already in the file and left unchanged because `isForced` was false. */
  readonly kept: readonly string[];
}

/**
 * Adds all servers to a file, or none when one fails. Creates the file and its folder when missing; replaces the file
 * as a whole, under a lock.
 * @throws {AppError} `config` for a file that cannot be edited, which stays unchanged; `system`, `usage`
 */
export async function addServers(
  target: ServerFileTarget,
  servers: ReadonlyMap<string, NewEntry>,
  isForced: boolean,
): Promise<AddedServers> {
  return editFile(target, (before, editor) => {
    const known = editor.entries(before);
    const added = [...servers.keys()].filter((name) => !known.has(name));
    const others = [...servers.keys()].filter((name) => known.has(name));
    let text = before;
    for (const [name, entry] of servers) {
      if (known.has(name) && !isForced) continue;
      text = editor.add(editor.remove(text, name), name, entry);
    }
    const result = { added, replaced: isForced ? others : [], kept: isForced ? [] : others };
    return { text, result };
  });
}

/**
 * Removes a server from a file, and the file itself when scorpiox-code created it and no server is left. False when it
 * had no such server. Throws as `addServers` does.
 */
export async function removeServer(target: ServerFileTarget, name: string): Promise<boolean> {
  if (readTextFile(target.file).kind === "absent") return false;
  return editFile(target, (before, editor) => {
    const text = editor.remove(before, name);
    return { text, result: text !== before };
  });
}

type Edit<Result> = (
  before: string,
  editor: ServerText,
) => { readonly text: string; readonly result: Result };

async function editFile<Result>(target: ServerFileTarget, edit: Edit<Result>): Promise<Result> {
  try {
    const file = resolveTarget(target);
    return await withFileLock(lockOf(file, target.scorpioxDir), () => {
      const { before, text, result } = edited(file, edit);
      if (text === before) return result;
      if (text === "") rmSync(file, { force: true });
      else replaceFile(file, text, modeOf(file, target.isPrivate));
      return result;
    });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("system", `${target.file} cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function edited<Result>(
  file: string,
  edit: Edit<Result>,
): { readonly before: string; readonly text: string; readonly result: Result } {
  const content = readTextFile(file);
  if (content.kind === "unusable") throw notChanged(file, content.reason);
  const before = content.kind === "text" ? content.text : "";
  try {
    return { before, ...edit(before, serverTextOf(file)) };
  } catch (error) {
    if (error instanceof AppError && error.code === "config") throw notChanged(file, error.message);
    throw error;
  }
}

function notChanged(file: string, reason: string): AppError {
  return new AppError("config", `${file} ${reason}; it was not changed.`);
}

/** A file that others may read stays readable, unless it is private to the user. */
function modeOf(file: string, isPrivate: boolean): number {
  const stats = isPrivate ? undefined : statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? 0o600 : stats.mode & 0o777;
}

function lockOf(file: string, scorpioxDir: string): string {
  const digest = sha256Hex(file).slice(0, 32);
  return join(scorpioxDir, "locks", digest);
}
