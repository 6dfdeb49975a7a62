import { rmSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { startTimer, type Timer } from "../../base/cancellation.ts";
import { upstreamStatusEveryMs } from "../../base/upstream-limits.ts";
import { isObject, ownValue } from "../../base/values.ts";
import { isRunningStill, ownIdentity } from "../../commands/process/processes.ts";
import { removeStaleDrafts, writePrivate } from "../cache/write-private.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";

/** The status that a running scorpiox-code reports about its MCP servers (CN18). */
export interface ServerStatus {
  readonly pid: number;
  /** Start time of that process, where the system reports it: the pid may have been reused. */
  readonly startTicks: number | null;
  readonly version: string;
  readonly projectDir: string | null;
  readonly writtenAt: number;
  readonly servers: readonly ServerInfo[];
}

/** The status of this process, or of the one whose client is served. */
export function ownStatus(
  { version, dirs, clientProcess }: Pick<UpstreamOptions, "version" | "dirs" | "clientProcess">,
  servers: readonly ServerInfo[],
): ServerStatus {
  return {
    ...(clientProcess ?? ownIdentity()),
    version,
    projectDir: dirs.projectDir ?? null,
    writtenAt: Date.now(),
    servers,
  };
}

/** The folder of running servers, which `attach` uses as well. */
function statusFolderIn(scorpioxDir: string): string {
  return join(scorpioxDir, "run");
}

/** Distinct from the names of `attach`'s pointers in the same folder. */
function statusFileName(pid: number): string {
  return `mcp-${pid}.json`;
}

/**
 * The statuses of this user's running servers, sorted by pid. Removes files of ended processes. Never rejects:
 * unreadable files are left out.
 * @param scorpioxDir `~/.scorpiox`
 */
export async function readServerStatuses(scorpioxDir: string): Promise<readonly ServerStatus[]> {
  const folder = statusFolderIn(scorpioxDir);
  await removeStaleDrafts(folder);
  const names = await readdir(folder).catch(() => []);
  const statuses: ServerStatus[] = [];
  for (const name of names) {
    const pid = Number(/^mcp-(\d{1,10})\.json$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid)) continue;
    const path = join(folder, name);
    const status = await readStatus(path, pid);
    if (status === undefined) continue;
    if (isRunningStill(status)) statuses.push(status);
    else await rm(path, { force: true }).catch(() => {});
  }
  return statuses.sort((a, b) => a.pid - b.pid);
}

async function readStatus(path: string, pid: number): Promise<ServerStatus | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (!isObject(value) || value.pid !== pid || !Array.isArray(value.servers)) return undefined;
    // Only this program writes it, in a folder that is private to the user.
    return ownValue(value);
  } catch {
    return undefined;
  }
}

/** Writes the file in which `mcp status` sees this process, after changes and at most once a second. */
export class StatusFile implements AsyncDisposable {
  readonly #path: string;
  readonly #status: () => ServerStatus;
  #timer: Timer | undefined;
  #written = "";
  #isClosed = false;
  #work: Promise<void> = Promise.resolve();

  /** @param scorpioxDir `~/.scorpiox` @param pid of the process that `status` is about */
  constructor(scorpioxDir: string, pid: number, status: () => ServerStatus) {
    this.#path = join(statusFolderIn(scorpioxDir), statusFileName(pid));
    this.#status = status;
  }

  /** Something may have changed. */
  later(): void {
    if (this.#isClosed) return;
    this.#timer ??= startTimer(upstreamStatusEveryMs, () => {
      this.#timer = undefined;
      this.#work = this.#work.then(() => this.#write());
    });
  }

  /** Removes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer?.stop();
    await this.#work;
    rmSync(this.#path, { force: true });
  }

  async #write(): Promise<void> {
    const status = this.#status();
    const { writtenAt: _time, ...facts } = status;
    const face = JSON.stringify(facts);
    if (this.#isClosed || face === this.#written) return;
    try {
      await writePrivate(this.#path, JSON.stringify(status));
      this.#written = face;
    } catch {
      // A full disk or another user's folder: only `mcp status` misses this process.
    }
  }
}
