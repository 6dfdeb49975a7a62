import { rmSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import { startTimer, type Timer } from "../../base/cancellation.ts";
import { upstreamStatusEveryMs } from "../../base/upstream-limits.ts";
import { isRunningStill, ownIdentity } from "../../commands/process/proc-table.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import { removeLeftDrafts, writePrivate } from "../cache/write-private.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";

/** What a running server says of the servers behind it (CN18). */
export interface ServerStatus {
  readonly pid: number;
  /** Of that process, where the system tells it: another one may have its number by now. */
  readonly startTicks: number | null;
  readonly version: string;
  readonly projectDir: string | null;
  readonly writtenAt: number;
  readonly servers: readonly ServerInfo[];
}

/** What this process says. */
export function ownStatus(
  { version, dirs }: Pick<UpstreamOptions, "version" | "dirs">,
  servers: readonly ServerInfo[],
): ServerStatus {
  return {
    ...ownIdentity(),
    version,
    projectDir: dirs.projectDir ?? null,
    writtenAt: Date.now(),
    servers,
  };
}

/** Where the running servers are found, `attach` included. */
function statusFolderIn(scorpioxDir: string): string {
  return join(scorpioxDir, "run");
}

/** Beside the pointers of `attach`, which have other names. */
function statusFileName(pid: number): string {
  return `mcp-${pid}.json`;
}

/**
 * What the running servers of this user say, by pid. Files of processes that have ended are removed. Never rejects: what
 * cannot be read is left out.
 * @param scorpioxDir `~/.scorpiox`
 */
export async function readServerStatuses(scorpioxDir: string): Promise<readonly ServerStatus[]> {
  const folder = statusFolderIn(scorpioxDir);
  await removeLeftDrafts(folder);
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
    // Written by this program in a folder of this user alone.
    return value as unknown as ServerStatus;
  } catch {
    return undefined;
  }
}

/** Keeps the file by which `mcp status` sees this process: written once a second at most, when something has changed. */
export class StatusFile implements AsyncDisposable {
  readonly #path: string;
  readonly #status: () => ServerStatus;
  #timer: Timer | undefined;
  #written = "";
  #isClosed = false;
  #work: Promise<void> = Promise.resolve();

  /** @param scorpioxDir `~/.scorpiox` */
  constructor(scorpioxDir: string, status: () => ServerStatus) {
    this.#path = join(statusFolderIn(scorpioxDir), statusFileName(process.pid));
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

  /** Removes it. */
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
      // A full disk or a folder of somebody else: `mcp status` cannot see us, nothing more.
    }
  }
}
