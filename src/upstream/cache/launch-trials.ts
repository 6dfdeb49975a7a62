import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { systemCodeOf } from "../../base/errors.ts";
import { parseOwnJson } from "../../base/own-value.ts";
import { upstreamListWaitMs, upstreamTrialMsMax } from "../../base/upstream-limits.ts";
import {
  isRunningStill,
  ownIdentity,
  type ProcessIdentity,
} from "../../commands/process/proc-table.ts";
import { writePrivate } from "./write-private.ts";

/** Who tries a launch of which nothing is known. */
export type TrialClaim =
  /** We do, from now on. */
  | "ours"
  /** Another process of this user does, at this moment. */
  | "others"
  /** The same, for so long that nobody should rely on it. */
  | "slow"
  /** It was tried before, and nothing was heard. */
  | "tried";

/**
 * First starts of servers, noted so that processes of this user that start at the same time know of each other: one mark
 * for each launch that has no catalogue yet. It names who tries it, until that was in vain.
 */
export class LaunchTrials {
  readonly #dir: string;
  readonly #own = JSON.stringify({ ...ownIdentity(), id: randomUUID() });

  /** @param dir made when it is missing */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Tries it, unless another process does. Never rejects. */
  async claim(identity: string): Promise<TrialClaim> {
    const path = this.#pathOf(identity);
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      await writeFile(path, this.#own, { flag: "wx", mode: 0o600 });
      return "ours";
    } catch (error) {
      if (systemCodeOf(error) === "EEXIST") return this.#claimTaken(path).catch(() => "ours");
      // A disk that cannot be written: everybody is on their own.
      return "ours";
    }
  }

  /** It was heard of: there is nothing to be noted any more. Never rejects. */
  async succeed(identity: string): Promise<void> {
    await rm(this.#pathOf(identity), { force: true }).catch(() => {});
  }

  /** Our try was in vain. Never rejects. */
  async fail(identity: string): Promise<void> {
    const path = this.#pathOf(identity);
    if (await this.#isOwn(path)) await writePrivate(path, inVain).catch(() => {});
  }

  /** We end in the middle of it: in vain when lists would not have waited any longer. Never rejects. */
  async leave(identity: string): Promise<void> {
    const path = this.#pathOf(identity);
    if (!(await this.#isOwn(path))) return;
    if ((await ageMsOf(path)) < upstreamListWaitMs) return this.succeed(identity);
    await writePrivate(path, inVain).catch(() => {});
  }

  /** @throws the system's error when the mark is gone meanwhile */
  async #claimTaken(path: string): Promise<TrialClaim> {
    const ageMs = await ageMsOf(path);
    const text = await readFile(path, "utf8");
    if (text === this.#own) return "ours";
    const holder = holderIn(text);
    // Whoever made it may not have written its name yet.
    if (holder === undefined) return text === "" && ageMs < writingMsMax ? "others" : "tried";
    if (isRunningStill(holder)) return ageMs < upstreamTrialMsMax ? "others" : "slow";
    // Its holder was killed. Two who take it over at once both start the server, and nothing is worse for it.
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
/** Between the making of a mark and its text; far more than one write takes. */
const writingMsMax = 500;

/** A clock that was set back makes nothing younger than new. */
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
