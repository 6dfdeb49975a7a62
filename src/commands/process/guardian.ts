import { closeSync, openSync } from "node:fs";

import { loadLimitMarks } from "./limit-mark.ts";
import type { Orphanage } from "./orphanage.ts";
import { guardianScript } from "./guardian-script.ts";

/**
 * A family that ends sooner is never reported to the guardian: if the server is killed in that time, the owner mark
 * finds the family. Saves two writes and two wake-ups for each short command.
 */
const tellAfterMs = process.platform === "linux" ? 30 : 0;

/** Watches over live process groups from outside, against the death of the server itself. */
export class Guardian {
  readonly #instanceId: string;
  readonly #orphanage: Pick<Orphanage, "addDirectChild" | "removeDirectChild">;
  readonly #live = new Set<number>();
  readonly #untold = new Map<number, ReturnType<typeof setTimeout>>();
  #child: Bun.Subprocess<"pipe", "ignore", "ignore"> | undefined;
  #closed = false;

  readonly #hunter: readonly string[];

  /**
   * @param orphanage is given the guardian's process id, which is not an orphan
   * @param hunter the command that starts this program; absent: processes that fork faster than a shell looks outlive a
   * killed server
   */
  constructor(
    instanceId: string,
    orphanage: Pick<Orphanage, "addDirectChild" | "removeDirectChild">,
    hunter: readonly string[] = [],
  ) {
    this.#instanceId = instanceId;
    this.#orphanage = orphanage;
    this.#hunter = hunter;
  }

  /** Starts the guardian unless it runs. A machine without `sh` goes unguarded. */
  start(): void {
    if (this.#child !== undefined || this.#closed || process.platform === "win32") return;
    const digits = loadLimitMarks()?.prefixOf(this.#instanceId)?.toString() ?? "";
    const words = ["/bin/sh", "-c", guardianScript, "sh", this.#instanceId, digits];
    // Whatever file is at this program's path then: the program that runs now is the one that is started.
    const own = digits === "" || this.#hunter.length === 0 ? undefined : openOwn();
    const hunter = own === undefined ? [] : ["/proc/self/fd/3", ...this.#hunter.slice(1)];
    try {
      const child = Bun.spawn([...words, ...hunter], {
        cwd: "/",
        env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
        stdio: ["pipe", "ignore", "ignore", ...(own === undefined ? [] : [own])],
        detached: true,
        onExit: (ended) => this.#onExit(ended.pid),
      });
      child.unref();
      this.#orphanage.addDirectChild(child.pid);
      this.#child = child;
      for (const groupId of this.#live) this.#tell(`+${groupId}`);
    } catch {
      this.#child = undefined;
    } finally {
      if (own !== undefined) closeSync(own);
    }
  }

  /** @param afterMs 0 for a long-lived process, which is reported immediately: it may have wiped its owner mark */
  add(groupId: number, afterMs = tellAfterMs): void {
    const tell = (): void => {
      this.#untold.delete(groupId);
      this.#live.add(groupId);
      this.#tell(`+${groupId}`);
    };
    if (afterMs === 0) tell();
    else this.#untold.set(groupId, setTimeout(tell, afterMs).unref());
  }

  remove(groupId: number): void {
    const untold = this.#untold.get(groupId);
    if (untold !== undefined) {
      clearTimeout(untold);
      this.#untold.delete(groupId);
    } else if (this.#live.delete(groupId)) {
      this.#tell(`-${groupId}`);
    }
  }

  /** Lets the guardian go; it sweeps once more and ends by itself. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#untold.values()) clearTimeout(timer);
    void this.#child?.stdin.end();
  }

  /** Lets the guardian exit without a sweep: remaining processes may stay. */
  dismiss(): void {
    this.#tell(".");
    this.close();
  }

  #tell(line: string): void {
    const stdin = this.#child?.stdin;
    if (stdin === undefined) return;
    // A guardian that was killed this moment does not read: another one is given everything again.
    const sent = Promise.all([stdin.write(`${line}\n`), stdin.flush()]);
    sent.catch(() => undefined);
  }

  /** Somebody killed it: another takes its place. */
  #onExit(pid: number): void {
    this.#orphanage.removeDirectChild(pid);
    if (this.#child?.pid !== pid) return;
    this.#child = undefined;
    if (this.#live.size > 0) this.start();
  }
}

function openOwn(): number | undefined {
  try {
    return openSync("/proc/self/exe", "r");
  } catch {
    return undefined;
  }
}
