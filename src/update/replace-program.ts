import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

import { AppError, messageOf } from "../base/errors.ts";

/** Prints the version of the program at this path. @throws when it cannot be started or is not this program */
export type AskVersion = (program: string) => Promise<string>;

/** The copy from before the last update. */
function previousOf(program: string): string {
  return join(dirname(program), `${basename(program).replace(/\.exe$/, "")}.previous`);
}

/**
 * Puts `bytes` in the place of the program, which may be running, and keeps the one from before. The new one is started once
 * before anything changes. A process that is killed at any moment leaves the old program or the new one.
 * @throws {AppError} `refused` when it does not start or has another version, `system`
 */
export async function replaceProgram(
  program: string,
  bytes: Uint8Array,
  version: string,
  ask: AskVersion,
): Promise<void> {
  settleKilledUpdate(program);
  const staged = beside(program, "new");
  try {
    writeStaged(staged, bytes, modeOf(program));
    await checkStarts(staged, version, ask);
    swap(program, staged);
  } catch (error) {
    throw notReplaced(program, staged, error);
  }
}

/**
 * Exchanges the program with the one from before the last update, so that a second rollback goes forward again.
 * @returns the version that is there now
 * @throws {AppError} `not_found`, `refused` when it does not start
 */
export async function rollBack(program: string, ask: AskVersion): Promise<string> {
  settleKilledUpdate(program);
  const previous = previousOf(program);
  if (!existsSync(previous)) {
    throw new AppError(
      "not_found",
      `${previous} does not exist: there is no earlier version to go back to.`,
    );
  }
  const staged = beside(program, "new");
  try {
    copyFileSync(previous, staged);
    chmodSync(staged, modeOf(program));
    const version = await ask(staged).catch((error: unknown) => {
      throw new AppError(
        "refused",
        `${previous} does not start (${messageOf(error)}). Nothing was changed.`,
      );
    });
    swap(program, staged);
    return version;
  } catch (error) {
    throw notReplaced(program, staged, error);
  }
}

function notReplaced(program: string, staged: string, error: unknown): AppError {
  try {
    rmSync(staged, { force: true });
  } catch {
    // A disk that is read-only has no such file.
  }
  if (error instanceof AppError) return error;
  return new AppError(
    "system",
    `${program} cannot be replaced: ${messageOf(error)}. Nothing was changed.`,
  );
}

/** Others of the machine may run the program. */
function modeOf(program: string): number {
  return (statSync(program).mode & 0o777) | 0o700;
}

function writeStaged(staged: string, bytes: Uint8Array, mode: number): void {
  const handle = openSync(staged, "wx", 0o700);
  try {
    writeFileSync(handle, bytes);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  chmodSync(staged, mode);
}

async function checkStarts(staged: string, version: string, ask: AskVersion): Promise<void> {
  const said = await ask(staged).catch((error: unknown) => {
    throw new AppError(
      "refused",
      `The new program does not start here (${messageOf(error)}). Nothing was changed.`,
    );
  });
  if (said === version) return;
  throw new AppError(
    "refused",
    `The new program says that it is ${said}, not ${version}. Nothing was changed.`,
  );
}

/** The old file gets a second name, then the new one its first: there is a program at every moment. */
function swap(program: string, staged: string): void {
  const old = beside(program, "old");
  if (isFolder(previousOf(program))) throw new Error(`${previousOf(program)} is a folder`);
  if (process.platform === "win32") {
    // A program that runs can be renamed there, and not replaced.
    renameSync(program, old);
    renameSync(staged, program);
  } else {
    linkSync(program, old);
    renameSync(staged, program);
  }
  renameSync(old, previousOf(program));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function beside(program: string, what: "new" | "old"): string {
  return join(dirname(program), `${leftoverStart(program, what)}${process.pid}`);
}

function leftoverStart(program: string, what: "new" | "old"): string {
  return `.${basename(program)}.update-${what}.`;
}

/**
 * Ends what a killed update has begun: the program from before, whose second name it had, becomes the previous one; the rest
 * is removed. Only while holding the lock.
 */
export function settleKilledUpdate(program: string): void {
  const folder = dirname(program);
  const starting = (what: "new" | "old"): readonly string[] =>
    readdirSync(folder)
      .filter((name) => name.startsWith(leftoverStart(program, what)))
      .map((name) => join(folder, name));
  for (const staged of starting("new")) rmSync(staged, { force: true });
  for (const old of starting("old")) {
    if (isSameFile(old, program)) rmSync(old);
    else renameSync(old, previousOf(program));
  }
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true }));
  return first?.dev === second?.dev && first?.ino === second?.ino;
}
