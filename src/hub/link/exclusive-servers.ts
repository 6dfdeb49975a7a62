import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { formatAmount } from "../../base/cut-text.ts";
import { sha256Hex } from "../../base/digests.ts";
import { messageOf } from "../../base/errors.ts";
import { isObject } from "../../base/values.ts";
import type { ExclusiveHold, HoldExclusive } from "../../upstream/manager/shared-runtime.ts";
import { FileLock } from "./hub-lock.ts";

export interface ExclusiveServersParts {
  /** The folder that all hubs of this user and machine share. */
  readonly folder: string;
  readonly version: string;
  /** How many clients this hub has, for those who wait for it. */
  readonly clients: () => number;
  readonly log: (line: string) => void;
}

interface Held {
  readonly lock: FileLock;
  readonly path: string;
  /** The processes of this hub that use it. */
  uses: number;
}

/** Digits of a lock's name. */
const nameChars = 32;

/**
 * Locks of the servers that run in only one hub of a user at a time, also after an update (HB8). They end with the hub,
 * however it ends.
 */
export class ExclusiveServers {
  readonly #parts: ExclusiveServersParts;
  readonly #held = new Map<string, Held>();

  constructor(parts: ExclusiveServersParts) {
    this.#parts = parts;
  }

  /** Without a usable lock file, the server starts as it would without this class: at worst it fails by itself. */
  readonly hold: HoldExclusive = (identity) => {
    const name = sha256Hex(identity).slice(0, nameChars);
    const known = this.#held.get(name);
    if (known !== undefined) return this.#use(name, known);
    const path = join(this.#parts.folder, name);
    try {
      mkdirSync(this.#parts.folder, { recursive: true, mode: 0o700 });
      const lock = FileLock.take(path);
      if (lock === undefined) return { kind: "refused", holder: holderOf(path) };
      const held = { lock, path, uses: 0 };
      this.#held.set(name, held);
      this.#tell(held);
      return this.#use(name, held);
    } catch (error) {
      const fault = messageOf(error);
      this.#parts.log(`A server starts although another hub may run it: ${fault}`);
      return { kind: "granted", right: { [Symbol.dispose]() {} } };
    }
  };

  /** The number of clients has changed. */
  retell(): void {
    for (const held of this.#held.values()) this.#tell(held);
  }

  #use(name: string, held: Held): ExclusiveHold {
    held.uses++;
    let isUsed = true;
    const right = {
      [Symbol.dispose]: () => {
        if (!isUsed) return;
        isUsed = false;
        held.uses--;
        if (held.uses === 0) this.#letGo(name, held);
      },
    };
    return { kind: "granted", right };
  }

  #letGo(name: string, { lock, path }: Held): void {
    this.#held.delete(name);
    try {
      // Before another hub can have the lock: afterwards it might be that one's file.
      if (lock.isInPlace()) rmSync(path, { force: true });
    } catch {
      // An unlocked file stays, which does no harm.
    }
    lock[Symbol.dispose]();
  }

  /** The record is only for people: a lock without one still excludes others. */
  #tell({ lock }: Held): void {
    const { version, clients } = this.#parts;
    try {
      lock.write(JSON.stringify({ pid: process.pid, version, clients: clients() }));
    } catch (error) {
      this.#parts.log(`A lock of a server has no record: ${messageOf(error)}`);
    }
  }
}

/** Far more than a record has. */
const recordCharsMax = 4096;

/** The holder of a lock, as the begin of a sentence about a server. */
function holderOf(path: string): string {
  try {
    const text = readFileSync(path, "utf8");
    const record: unknown = text.length > recordCharsMax ? undefined : JSON.parse(text);
    const { pid, version, clients } = isObject(record) ? record : {};
    if (typeof version === "string" && typeof pid === "number" && typeof clients === "number") {
      const served = clients === 0 ? "" : ` for ${formatAmount(clients, "client")}`;
      return `the hub of version ${version} (process ${pid}) still runs it${served}`;
    }
  } catch {
    // It has just been made, or removed.
  }
  return "another hub still runs it";
}
