import { lstatSync, mkdirSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

import { AppError, messageOf } from "../base/errors.ts";
import { isKeyName } from "./env-file.ts";
import { setInEnvText, unsetInEnvText } from "./edit-env-text.ts";
import { readTextFile } from "./read-text-file.ts";
import { replaceFile } from "./replace-file.ts";

/** Which file to change. */
export interface EnvFileTarget {
  readonly file: string;
  /** The file must lie in here after following links: a repository may hold a link to anywhere. */
  readonly insideDir?: string;
}

/**
 * Sets `key` in a `scorpiox-env.txt`, which is created with its folder when missing.
 * @throws {AppError} `usage` for a key or value that cannot stand on one line, `system` or `config` when
 * the file cannot be read or written.
 */
export function setInEnvFile(target: EnvFileTarget, key: string, value: string): void {
  if (!isKeyName(key)) throw new AppError("usage", `${JSON.stringify(key)} is not a key's name.`);
  const trimmed = value.trim();
  if (/[\r\n\0]/.test(trimmed)) {
    throw new AppError("usage", `The value of ${key} must be on one line.`);
  }
  editFile(target, (text) => setInEnvText(text, key, trimmed));
}

/** Removes `key`. False when it was not set there. Throws as `setInEnvFile` does. */
export function unsetInEnvFile(target: EnvFileTarget, key: string): boolean {
  if (readTextFile(target.file).kind === "absent") return false;
  return editFile(target, (text) => unsetInEnvText(text, key));
}

/** True when the text changed. */
function editFile(target: EnvFileTarget, edit: (text: string) => string): boolean {
  try {
    const file = resolveTarget(target);
    const content = readTextFile(file);
    if (content.kind === "unusable") {
      throw new AppError("config", `${file} ${content.reason}; it was not changed.`);
    }
    const before = content.kind === "text" ? content.text : "";
    const after = edit(before);
    if (after === before) return false;
    replaceFile(file, after);
    return true;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("system", `${target.file} cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** The file to replace: a link stays, and what it leads to is written. */
function resolveTarget({ file, insideDir }: EnvFileTarget): string {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const real = followLinks(file, linksMax);
  if (insideDir !== undefined && !real.startsWith(realpathSync(insideDir) + sep)) {
    throw new AppError(
      "config",
      `${file} leads out of the project, to ${real}; it was not changed.`,
    );
  }
  return real;
}

/** As many as Linux follows. */
const linksMax = 40;

/** By hand: `realpathSync` of a file that another writer replaces at that moment fails. */
function followLinks(file: string, linksLeft: number): string {
  const path = join(realpathSync(dirname(file)), basename(file));
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink) return path;
  if (linksLeft === 0) throw new AppError("config", `${file} is a link that leads back to itself.`);
  return followLinks(resolve(dirname(path), readlinkSync(path)), linksLeft - 1);
}
