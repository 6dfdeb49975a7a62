import { appendFile, lstat, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { sha256Hex } from "../../../base/digests.ts";
import { AppError, messageOf } from "../../../base/errors.ts";
import {
  hookLogBytesMax,
  hookLogOutputCharsMax,
  sessionFolderAgeMsMax,
} from "../../../base/limits.ts";
import { realPathOf } from "../../../base/paths.ts";
import { escapeJson } from "../../../base/unsafe-characters.ts";
import { redact } from "../audit/audit-log.ts";
import { type Hook, type HookEnd, type HooksFolder, shortOutput } from "./hook.ts";

/** The log in such a folder. */
const hookLogName = "hooks.log";

const idPattern = /^[0-9a-f]{24}$/;

/**
 * The id of a client's session as hooks get it: the same for all hooks of a client, another one for each run of the
 * server, and nothing that a request could be made with.
 */
export function sessionIdOf(instanceId: string, clientId: string): string {
  return sha256Hex(`${instanceId}\n${clientId}`).slice(0, 24);
}

/**
 * The name of a client for hooks. The id of a session over HTTP authorizes its requests, and a command
 * line is seen by all users of the machine.
 */
export function clientNameOf(clientId: string): string {
  if (!clientId.startsWith("session:")) return clientId;
  return `session:${sha256Hex(clientId).slice(0, 16)}`;
}

/** Private folders for the files of hooks, one for each session; made when they are first needed. */
export class SessionFolders {
  readonly #dirs: readonly string[];
  #usable: Promise<string> | undefined;

  /** @param dirs where they may be, the best place first */
  constructor(dirs: readonly string[]) {
    this.#dirs = dirs;
  }

  /** Absolute path. @throws AppError `system` when there is no place for it */
  async of(sessionId: string): Promise<string> {
    this.#usable ??= this.#choose();
    const path = join(await this.#usable, sessionId);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return path;
  }

  async #choose(): Promise<string> {
    for (const dir of this.#dirs) {
      if (await isPrivateFolder(dir)) {
        void sweep(dir);
        return dir;
      }
    }
    this.#usable = undefined;
    const places = this.#dirs.join(" and ");
    throw new AppError("system", `No private folder can be made in ${places}: hooks need one.`);
  }
}

/** The second place is in a folder that others may write to: their entries there are not used. */
async function isPrivateFolder(dir: string): Promise<boolean> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const stats = await lstat(dir);
    const isPrivate = process.platform === "win32" || (stats.mode & 0o022) === 0;
    return stats.isDirectory() && isPrivate && faultOfOwner(stats) === undefined;
  } catch {
    return false;
  }
}

/** When its log was written to, or the folder itself: a log that grows does not change its folder. */
async function lastUse(folder: string): Promise<number> {
  const paths = [folder, join(folder, hookLogName)];
  const stats = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return Math.max(...stats.map((each) => each?.mtimeMs ?? 0));
}

/** Removes the folders of sessions that nobody has written to for long. */
async function sweep(dir: string): Promise<void> {
  const oldest = Date.now() - sessionFolderAgeMsMax;
  try {
    for (const name of await readdir(dir)) {
      const path = join(dir, name);
      if (!idPattern.test(name) || (await lastUse(path)) >= oldest) continue;
      await rm(path, { recursive: true, force: true });
    }
  } catch {
    // Another scorpiox-code sweeps too: the rest is swept the next time.
  }
}

/** Where hooks may be: the user's folder, then that of the project; a home folder inside the project is the user's. */
export function hooksFoldersOf(dirs: {
  readonly scorpioxDir: string;
  readonly projectDir: string | undefined;
}): readonly HooksFolder[] {
  const user = resolve(dirs.scorpioxDir, "hooks");
  const folders: HooksFolder[] = [{ scope: "user", hooksDir: user }];
  if (dirs.projectDir === undefined) return folders;
  const project = resolve(join(dirs.projectDir, ".scorpiox", "hooks"));
  // A home may be reached by more than one way.
  return realPathOf(project) === realPathOf(user)
    ? folders
    : [...folders, { scope: "project", hooksDir: project }];
}

interface Stats {
  readonly mode: number;
  readonly uid: number;
}

/** Why a file or folder that everybody may write to cannot be trusted. Windows has no such bits. */
export function faultOfMode(
  { mode }: Pick<Stats, "mode">,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform === "win32" || (mode & 0o002) === 0) return undefined;
  return "everybody may write to it: chmod o-w";
}

/** Why a file or folder of another user cannot be trusted; root's can. */
export function faultOfOwner(
  { uid }: Pick<Stats, "uid">,
  ownUid: number | undefined = process.getuid?.(),
): string | undefined {
  if (ownUid === undefined || uid === ownUid || uid === 0) return undefined;
  return "it belongs to another user: chown it to yourself";
}

/** One line of JSON for each run of a hook, in a private file for each session. It does not have the payload. */
export class HookLog {
  readonly #folders: SessionFolders;
  readonly #warn: (message: string) => void;
  readonly #secrets: readonly string[];
  /** Lines have an order, and one write at a time keeps the file within its bound. */
  #writing: Promise<void> = Promise.resolve();
  #hasFailed = false;

  /** @param secrets texts that are not written down */
  constructor(
    folders: SessionFolders,
    warn: (message: string) => void,
    secrets: readonly string[],
  ) {
    this.#folders = folders;
    this.#secrets = secrets;
    this.#warn = warn;
  }

  write(sessionId: string, hook: Hook, end: HookEnd): void {
    const { eventName, name, scope } = hook;
    const { state, how, durationMs, output } = end;
    const at = new Date().toISOString();
    const shown = redact(shortOutput(output, hookLogOutputCharsMax), this.#secrets);
    const record = {
      at,
      event: eventName,
      hook: name,
      scope,
      state,
      how,
      durationMs,
      output: shown,
    };
    const line = `${escapeJson(JSON.stringify(record))}\n`;
    this.#writing = this.#writing.then(() => this.#append(sessionId, line));
  }

  /** When all is written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  async #append(sessionId: string, line: string): Promise<void> {
    try {
      const file = join(await this.#folders.of(sessionId), hookLogName);
      const size = (await stat(file).catch(() => undefined))?.size ?? 0;
      if (size + line.length > hookLogBytesMax) await rename(file, `${file}.1`);
      await appendFile(file, line, { mode: 0o600 });
    } catch (error) {
      if (!this.#hasFailed) this.#warn(`The log of hooks cannot be written: ${messageOf(error)}.`);
      this.#hasFailed = true;
    }
  }
}
