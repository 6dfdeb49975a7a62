import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { systemCodeOf } from "../../base/errors.ts";
import { parseOwnJson } from "../../base/values.ts";
import { upstreamListWaitMs, upstreamTrialMsMax } from "../../base/upstream-limits.ts";
import {
  isRunningStill,
  ownIdentity,
  type ProcessIdentity,
} from "../../commands/process/processes.ts";
import { writePrivate } from "./write-private.ts";

/** Which process tries a launch that has no catalogue yet. */
export type TrialClaim =
  /** This process, from now on. */
  | "ours"
  /** Another process of this user, at this moment. */
  | "others"
  /** Another process of this user, for so long that it can no longer be relied on. */
  | "slow"
  /** It was tried before, and the server did not answer. */
  | "tried";

/**
 * Notes the first starts of servers, so that processes of this user that start at the same time know of each other: one
 * mark for each launch that has no catalogue yet. The mark names the process that tries the launch, until the attempt
 * has failed.
 */
export class LaunchTrials {
  readonly #dir: string;
  readonly #own = JSON.stringify({ ...ownIdentity(), id: randomUUID() });

  /** @param dir is created when it is missing */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Claims the launch, unless another process tries it. Never rejects. */
  async claim(identity: string): Promise<TrialClaim> {
    const path = this.#pathOf(identity);
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      await writeFile(path, this.#own, { flag: "wx", mode: 0o600 });
      return "ours";
    } catch (error) {
      if (systemCodeOf(error) === "EEXIST") return this.#claimTaken(path).catch(() => "ours");
      // The disk is not writable: each process is on its own.
      return "ours";
    }
  }

  /** The server has answered: removes the mark. Never rejects. */
  async succeed(identity: string): Promise<void> {
    await rm(this.#pathOf(identity), { force: true }).catch(() => {});
  }

  /** This process has tried in vain. Never rejects. */
  async fail(identity: string): Promise<void> {
    const path = this.#pathOf(identity);
    if (await this.#isOwn(path)) await writePrivate(path, inVain).catch(() => {});
  }

  /**
   * This process ends during the attempt. The attempt has failed if lists would not have waited any longer. Never
   * rejects.
   */
  async leave(identity: string): Promise<void> {
    const path = this.#pathOf(identity);
    if (!(await this.#isOwn(path))) return;
    if ((await ageMsOf(path)) < upstreamListWaitMs) return this.succeed(identity);
    await writePrivate(path, inVain).catch(() => {});
  }

  /** @throws the system's error when the mark has been removed in the meantime */
  async #claimTaken(path: string): Promise<TrialClaim> {
    const ageMs = await ageMsOf(path);
    const text = await readFile(path, "utf8");
    if (text === this.#own) return "ours";
    const holder = holderIn(text);
    // The process that made it may not have written its name yet.
    if (holder === undefined) return text === "" && ageMs < writingMsMax ? "others" : "tried";
    if (isRunningStill(holder)) return ageMs < upstreamTrialMsMax ? "others" : "slow";
    // Its holder was killed. If two processes take it over at once, both start the server, which does no harm.
    if (ageMs >= upstreamListWaitMs) return "tried";
    await writePrivate(path, this.#own);
    return "ours";
  }

  #isOwn(path: string): Promise<boolean> {
    return readFile(path, "utf8").then(
      (text) => text === this.#own,
      () => false,
    );
  }

  #pathOf(identity: string): string {
    return join(this.#dir, `${identity.replaceAll(/[^0-9a-z]/gi, "_")}.tried`);
  }
}

const inVain = "tried";
/** Longest time between creating a mark and writing its text; far longer than one write takes. */
const writingMsMax = 500;

/** Never negative, even when the clock was set back. */
async function ageMsOf(path: string): Promise<number> {
  return Math.abs(Date.now() - (await stat(path)).mtimeMs);
}

function holderIn(text: string): ProcessIdentity | undefined {
  try {
    // Written by this program in a folder of this user alone.
    return parseOwnJson(text);
  } catch {
    return undefined;
  }
}
