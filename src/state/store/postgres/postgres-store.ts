import { AppError, messageOf } from "../../../base/errors.ts";
import { ownValue } from "../../../base/values.ts";
import {
  pgCallsWaitingMax,
  pgConnectionsMax,
  pgLockMsMax,
  pgLocksMax,
  pgPruneMs,
  storeCallsTogetherMax,
} from "../../../base/limits.ts";
import type { StoreCall, StoreReply } from "../store-methods.ts";
import { Turns } from "../../../base/turns.ts";
import { Batch } from "./batch.ts";
import { type Connection, Connections, Patience } from "./connections.ts";
import { engineError, isAway } from "./postgres-errors.ts";
import { migratePostgres } from "./postgres-schema.ts";
import type { PostgresPlace } from "./store-url.ts";

interface WaitingCall {
  readonly call: StoreCall;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: AppError) => void;
}

/** Some at a time, and those that no other replica is forgetting. */
const prune = `DELETE FROM scorpiox.store_changes WHERE change_id IN (
  SELECT change_id FROM scorpiox.store_changes WHERE made_at < now() - interval '1 hour'
  LIMIT 10000 FOR UPDATE SKIP LOCKED)`;

/** Lanes of scopes: one connection is left for work that belongs to no scope. */
const lanesMax = pgConnectionsMax - 1;

/**
 * The store in PostgreSQL. Requests about one scope are done in their order, those that wait together in one transaction; a
 * scope that another replica keeps busy holds up no other.
 */
export class PostgresStore implements AsyncDisposable {
  readonly #connections: Connections;
  /** By scope. One that is here is at work, or waits for a connection. */
  readonly #lanes = new Map<string, WaitingCall[]>();
  readonly #ready: string[] = [];
  readonly #lockTurns = new Turns(pgLocksMax);
  #working = 0;
  #waiting = 0;
  #migrated: Promise<void> | undefined;
  #idle: (() => void) | undefined;

  readonly #pruneEveryMs: number;
  #pruneAt: number;

  constructor(place: PostgresPlace, { pruneEveryMs = pgPruneMs } = {}) {
    this.#connections = new Connections(place);
    this.#pruneEveryMs = pruneEveryMs;
    // Replicas that start together do not do it together.
    this.#pruneAt = performance.now() + Math.random() * pruneEveryMs;
  }

  /**
   * Resolves when its changes are kept.
   * @throws AppError as the method does, `system` with the name of the engine when it cannot be used, `limit` when too
   *   many wait
   */
  async call<Call extends StoreCall>(call: Call): Promise<StoreReply<Call["method"]>> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (this.#waiting >= pgCallsWaitingMax) {
      const { name } = this.#connections.place;
      const text = `${name} is behind: ${pgCallsWaitingMax} requests wait for it. Try again later.`;
      throw new AppError("limit", text);
    }
    this.#waiting += 1;
    const key = keyOf(call);
    const lane = this.#lanes.get(key);
    const waiting: WaitingCall = { call, resolve, reject };
    if (lane === undefined) {
      this.#lanes.set(key, [waiting]);
      this.#ready.push(key);
      this.#startLanes();
    } else lane.push(waiting);
    return ownValue(await promise);
  }

  /**
   * Runs `work` while nobody else does so for this key, in all replicas: with a connection of its own, whose end ends the lock.
   * @throws what `work` throws, AppError `system` when the engine cannot be used or the lock is not free in time
   */
  async alone<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    using _turn = await this.#lockTurns.take(new AbortController().signal);
    const { place } = this.#connections;
    await using connections = new Connections(place);
    return await holdLock(connections, key, work);
  }

  /** Ends when what was asked for is done. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#lanes.size > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    await this.#connections[Symbol.asyncDispose]();
  }

  #startLanes(): void {
    while (this.#working < lanesMax) {
      const key = this.#ready.shift();
      if (key === undefined) return;
      this.#working += 1;
      void this.#work(key);
    }
  }

  /** Never rejects. */
  async #work(key: string): Promise<void> {
    // In the next round: by then all that came with the first of them is here.
    await new Promise<void>((resolve) => setImmediate(resolve));
    const lane = this.#lanes.get(key) ?? [];
    const together = lane.splice(0, storeCallsTogetherMax);
    this.#waiting -= together.length;
    if (together.length > 0) await this.#settle(together);
    this.#working -= 1;
    // Behind the others: a scope with many requests must not starve them.
    if (lane.length > 0) this.#ready.push(key);
    else this.#lanes.delete(key);
    this.#startLanes();
    if (this.#lanes.size === 0) this.#idle?.();
  }

  /** Never rejects. */
  async #settle(together: readonly WaitingCall[]): Promise<void> {
    try {
      await this.#migrate();
      const batch = new Batch(
        this.#connections,
        together.map(({ call }) => call),
      );
      for (const [place, outcome] of (await batch.perform()).entries()) {
        if (outcome.kind === "done") together[place]?.resolve(outcome.value);
        else together[place]?.reject(outcome.error);
      }
      await this.#pruneSometimes();
    } catch (error) {
      const failure = error instanceof AppError ? error : new AppError("system", messageOf(error));
      for (const { reject } of together) reject(failure);
      if (isAway(failure.cause)) this.#refuseWaiting(failure.cause);
    }
  }

  /** Forgets the records of transactions about which nobody asks any more. Never rejects. */
  async #pruneSometimes(): Promise<void> {
    if (performance.now() < this.#pruneAt) return;
    this.#pruneAt = performance.now() + this.#pruneEveryMs;
    try {
      await this.#connections.use(new Patience(), (connection) => connection.runAll(prune));
    } catch {
      // The next time.
    }
  }

  /** None of them waits for its own turn to find out. */
  #refuseWaiting(reason: unknown): void {
    const error = engineError(this.#connections.place.name, reason, "Nothing was changed.");
    for (const lane of this.#lanes.values()) {
      for (const { reject } of lane.splice(0)) {
        reject(error);
        this.#waiting -= 1;
      }
    }
  }

  /** Once; after a failure the next request tries again. @throws AppError */
  #migrate(): Promise<void> {
    const { place } = this.#connections;
    this.#migrated ??= this.#connections
      .use(new Patience(), (connection) => migratePostgres(connection, place.name))
      .catch((error: unknown) => {
        this.#migrated = undefined;
        throw engineError(place.name, error, "Nothing was changed.");
      });
    return this.#migrated;
  }
}

/** Requests without a scope have a lane for each method. */
function keyOf({ method, request }: StoreCall): string {
  return "scope" in request
    ? JSON.stringify([request.scope.workspace, request.scope.owner])
    : method;
}

/** Between two tries; it varies, so that replicas that wait for each other do not keep step. */
const retryMs = { min: 20, spread: 60 };

/** A holder of which the engine hears nothing for this long has lost it; the work talks to others meanwhile. */
const holderSilentMs = 60_000;

/**
 * Runs `work` under an advisory lock, which ends with its transaction.
 * @throws what `work` throws, AppError `system` when the engine cannot be used or the lock is not free in time
 */
async function holdLock<Result>(
  connections: Connections,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { name } = connections.place;
  const deadline = performance.now() + pgLockMsMax;
  for (;;) {
    const outcome = await connections
      .use(new Patience(), (connection) => holdOnce(connection, key, work))
      .catch((error: unknown) => {
        throw engineError(name, error);
      });
    if (outcome.kind === "held") return outcome.result();
    if (performance.now() >= deadline) {
      const text = `${name}: another replica has been at work on the same for a long time. Try again later.`;
      throw new AppError("system", text);
    }
    await Bun.sleep(retryMs.min + Math.random() * retryMs.spread);
  }
}

/** `result` gives or throws what the work did. */
type Held<Result> =
  { readonly kind: "held"; readonly result: () => Promise<Result> } | { readonly kind: "busy" };

async function holdOnce<Result>(
  connection: Connection,
  key: string,
  work: () => Promise<Result>,
): Promise<Held<Result>> {
  await connection.runAll(
    `BEGIN; SELECT set_config('idle_in_transaction_session_timeout', '${holderSilentMs}', true)`,
  );
  const text = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken";
  const [row] = await connection.rows({ text, values: [key] });
  const isTaken = Object.values(row ?? {}).includes(true);
  // Begun once; the caller, which gets the promise, learns how it ends.
  const working = isTaken ? work() : undefined;
  await working?.then(
    () => undefined,
    () => undefined,
  );
  await connection.runAll("ROLLBACK").catch(() => undefined);
  return working === undefined ? { kind: "busy" } : { kind: "held", result: () => working };
}
