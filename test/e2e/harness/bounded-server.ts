import { chmodSync, chownSync } from "node:fs";

import { ensureBuilt, productBinary } from "./binary.ts";
import { Server } from "./server.ts";
import { TempFolder } from "./temp-folder.ts";

/** Without bounds of somebody else's a bomb would be the machine's. */
export const canBeSomebody =
  process.platform === "linux" && process.getuid?.() === 0 && Bun.which("setpriv") !== null;

/** Somebody else for each server: the system counts all processes that a user has, those of the server before too. */
let uid = 100_000 + process.pid * 10;

/** A server of a user who may have 250 processes and threads. */
export class BoundedServer implements AsyncDisposable {
  readonly #folder = new TempFolder();
  readonly server: Server;

  /** @param diskBytes of the home, a disk of its own; absent = the machine's */
  constructor(diskBytes?: number) {
    ensureBuilt(productBinary);
    uid += 1;
    chmodSync(this.#folder.path, 0o755);
    const home = this.#folder.folder("home");
    chownSync(home, uid, uid);
    const somebody = ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
    // Not every sh can set this, and nothing may run without.
    const bounded = [
      "bash",
      "-c",
      `chown ${uid} "$HOME" && ulimit -u 250 && [ "$(ulimit -H -u)" = 250 ] && cd && exec "$0" "$@"`,
    ];
    const disk = diskBytes === undefined ? [] : smallDisk(home, diskBytes);
    const wrap = [...disk, ...bounded, ...somebody];
    this.server = new Server({ wrap, env: { HOME: home }, cwd: home });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}

/** Goes off within a bound only, and ends by itself after eleven generations. */
export const forkBomb =
  '[ "$(ulimit -H -u)" -le 250 ] || exit 1; ' +
  "bomb() { [ $1 -gt 10 ] || { bomb $(($1 + 1)) | bomb $(($1 + 1)) & }; sleep 6; }; bomb 0; wait";

/** Words before a command for which `folder` is a disk of so many bytes. */
export function smallDisk(folder: string, bytes: number): string[] {
  const options = `--dev-bind / / --die-with-parent --perms 0700 --size ${bytes} --tmpfs`;
  return ["bwrap", ...options.split(" "), folder, "--"];
}
