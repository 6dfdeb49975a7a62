import { assertNotAborted } from "../../base/cancellation.ts";
import { cacheKeyOf } from "../cache/catalogue-cache.ts";
import { loadUpstreamConfig } from "../config/load-upstream-config.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import { isComing, type TrialStep, type TriedServer } from "../server-state.ts";
import { readLock } from "../trust/lock/read-lock.ts";
import { ManagedServer } from "./managed-server.ts";
import { ConnectionPool } from "./connection-pool.ts";
import type { ManagerParts } from "./manager-parts.ts";

/**
 * Starts a server as a running scorpiox-code would, until its lists are read or have failed, and ends it. Ignores its
 * cache (CN2); the first contact approves its offer, as always.
 * @throws AppError `cancelled`
 */
export async function tryServer(
  configured: ConfiguredServer,
  parts: ManagerParts,
  signal: AbortSignal,
): Promise<TriedServer> {
  assertNotAborted(signal);
  await parts.cache.forget(cacheKeyOf(configured));
  const clock = new TrialClock(parts, configured.entry.name);
  const changes = new Changes(signal);
  await using server = new ManagedServer(
    configured,
    { ...(await partsOfTrial(parts)), ...clock.parts, onChange: changes.tell },
    nobodyListens,
  );
  await server.apply(configured);
  server.connect();
  while (isComing(server.info().state)) await changes.next();
  clock.onSettled();
  await server.offer.written;
  const info = server.info();
  const isUsable = info.state === "ready" || (info.state === "degraded" && info.era !== null);
  return { info, isUsable, steps: clock.steps(isUsable) };
}

/** The parts with the current rules and lock, and with a pool of their own. */
async function partsOfTrial(parts: ManagerParts): Promise<ManagerParts> {
  const { projectDir } = parts.options.dirs;
  const { rules } = loadUpstreamConfig(parts.options);
  const lock = projectDir === undefined ? { kind: "absent" as const } : await readLock(projectDir);
  return { ...parts, rules: () => rules, lock: () => lock, pool: new ConnectionPool() };
}

const nobodyListens = { onResourceUpdated() {}, onDown() {}, onConnected() {} };

/** Waits for the next change, or for the end. */
class Changes {
  readonly #signal: AbortSignal;
  #next: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.tell, { once: true });
  }

  readonly tell = (): void => {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  };

  /** @throws AppError `cancelled` */
  async next(): Promise<void> {
    assertNotAborted(this.#signal);
    await this.#next.promise;
    assertNotAborted(this.#signal);
  }
}

/** Measures the steps of a start. */
class TrialClock {
  readonly #parts: ManagerParts;
  readonly #server: string;
  #installMs: number | undefined;
  #startMs: number | undefined;
  #negotiateMs: number | undefined;
  #listMs: number | undefined;
  #connectedAt: number | undefined;
  #isStarted = true;

  constructor(parts: ManagerParts, server: string) {
    this.#parts = parts;
    this.#server = server;
  }

  /** Parts that measure; use them instead of the original ones. */
  get parts(): Pick<ManagerParts, "host" | "installer" | "openConnection"> {
    const { host, installer, openConnection } = this.#parts;
    return {
      installer: {
        prepare: async (wish, signal, tell) => {
          const begin = performance.now();
          let isNeeded = false;
          try {
            return await installer.prepare(wish, signal, (installing) => {
              isNeeded = true;
              this.#parts.host.notify({ kind: "installing", server: this.#server, installing });
              tell(installing);
            });
          } finally {
            if (isNeeded) this.#installMs = (this.#installMs ?? 0) + performance.now() - begin;
          }
        },
      },
      host: {
        startProcess: async (launch) => {
          const begin = performance.now();
          try {
            return await host.startProcess(launch);
          } catch (error) {
            this.#isStarted = false;
            throw error;
          } finally {
            // A server that exits at the first probe is started twice.
            this.#startMs = (this.#startMs ?? 0) + performance.now() - begin;
          }
        },
        log: (server, line) => host.log(server, line),
        publish: () => {},
        notify: () => {},
      },
      openConnection: async (options, events, signal) => {
        const begin = performance.now();
        try {
          const connection = await openConnection(options, events, signal);
          this.#connectedAt = performance.now();
          return connection;
        } finally {
          if (this.#isStarted) this.#negotiateMs = performance.now() - begin - (this.#startMs ?? 0);
        }
      },
    };
  }

  /** The lists were read or have failed. */
  onSettled(): void {
    if (this.#connectedAt !== undefined) this.#listMs = performance.now() - this.#connectedAt;
  }

  /** The steps that began, in order. @param isUsable all steps succeeded */
  steps(isUsable: boolean): readonly TrialStep[] {
    const took = [
      { name: "install" as const, ms: this.#installMs },
      { name: "start" as const, ms: this.#startMs },
      { name: "negotiate" as const, ms: this.#negotiateMs },
      { name: "list" as const, ms: this.#listMs },
    ];
    const begun = took.flatMap(({ name, ms }) =>
      ms === undefined ? [] : [{ name, ms: Math.max(0, Math.round(ms)), isDone: true }],
    );
    // The last step is the one that failed.
    return begun.map((step, index) =>
      index === begun.length - 1 && !isUsable ? { ...step, isDone: false } : step,
    );
  }
}
