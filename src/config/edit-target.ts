import { lstatSync, mkdirSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

import { AppError } from "../base/errors.ts";

/** Which file to change. */
export interface EditTarget {
  readonly file: string;
  /** The file must be in here after following links: a repository may hold a link to anywhere. */
  readonly insideDir?: string;
}

/**
 * The file to replace: for a link its target, so that the link stays. Makes the folder when it is missing.
 * @throws {AppError} `config` for a link that leads out of `insideDir` or back to itself, and errors of the system
 */
export function resolveTarget({ file, insideDir }: EditTarget): string {
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
