import type { ReservedSQL } from "bun";

import { pgAnswerMsMax, pgConnectionsMax, pgRetryMs } from "../../../base/limits.ts";
import type { Statement } from "../steps.ts";
import { EngineLost, isFinal, isLoss, NoConnection } from "./postgres-errors.ts";
import type { PostgresPlace } from "./store-url.ts";

/** Seconds: the handshake has four round trips, which an engine half a second away takes two for. */
const connectSecondsMax = 3;

/** When the engine is given up: it counts from its last answer, over all connections that a piece of work needs. */
export class Patience {
  readonly answerMsMax: number;
  #answeredAt = performance.now();

  constructor(answerMsMax = pgAnswerMsMax) {
    this.answerMsMax = answerMsMax;
  }

  get msLeft(): number {
    return this.#answeredAt + this.answerMsMax - performance.now();
  }

  answered(): void {
    this.#answeredAt = performance.now();
  }
}

/** One connection while a piece of work has it. */
export class Connection {
  readonly #sql: ReservedSQL;
  readonly #patience: Patience;
  #isLost = false;

  constructor(sql: ReservedSQL, patience: Patience) {
    this.#sql = sql;
    this.#patience = patience;
  }

  /**
   * The rows of a statement.
   * @throws EngineLost when no answer comes in time, the errors of the engine
   */
  async rows({ text, values }: Statement): Promise<readonly unknown[]> {
    const sent: SqlQuery = this.#sql.unsafe(text, [...values]);
    return asNumbers(await this.#sent(sent));
  }

  /** The rows of the last of several statements without values, which go out together. @throws as `rows` */
  async runAll(text: string, msMax = this.#patience.answerMsMax): Promise<readonly unknown[]> {
    const sent: SqlQuery<Rows[]> = this.#sql.unsafe(text).simple();
    return (await this.#sent(sent, msMax)).at(-1) ?? [];
  }

  /** @throws as `rows`; Error when the engine has undone the transaction instead */
  async commit(): Promise<void> {
    const sent: SqlQuery = this.#sql.unsafe("COMMIT");
    const { command } = await this.#sent(sent);
    if (command !== "COMMIT") throw new Error(`the engine answered COMMIT with ${command}`);
  }

  /** Gives it back; a lost one is closed, and so is one in the middle of a transaction. */
  async release(): Promise<void> {
    try {
      if (this.#isLost) await this.#sql.close({ timeout: 0 });
      else await this.#sql.release();
    } catch {
      // It has ended by itself.
    }
  }

  async #sent<Result>(
    query: SqlQuery<Result>,
    msMax = this.#patience.answerMsMax,
  ): Promise<Result & Bun.SQL.ResultMetadata> {
    const { promise: silence, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(new EngineLost(`it did not answer within ${msMax / 1_000} s`));
    }, msMax);
    try {
      const result = await Promise.race([query, silence]);
      this.#patience.answered();
      return result;
    } catch (error) {
      if (isLoss(error)) this.#isLost = true;
      else this.#patience.answered();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

type Rows = Record<string, unknown>[];
type SqlQuery<Result = Rows> = Bun.SQL.Query<Result>;

/** The type of counts and ids, which come as text. */
const int8 = 20;

/** Ids are counted up from 1: all of them are exact as numbers. */
function asNumbers(rows: Rows & Bun.SQL.ResultMetadata): Rows {
  const names = rows.columns?.filter(({ type }) => type === int8).map(({ name }) => name) ?? [];
  for (const row of names.length === 0 ? [] : rows) {
    for (const name of names) if (row[name] !== null) row[name] = Number(row[name]);
  }
  return rows;
}

/**
 * The connections to the engine. While it is away they are tried with growing pauses, each a little different, so that many
 * replicas do not come back at the same moment; who asks meanwhile waits a moment at first, and is refused at once later.
 */
export class Connections implements AsyncDisposable {
  readonly place: PostgresPlace;
  readonly #sql: Bun.SQL;
  #failures = 0;
  #awaySince = 0;
  #nextTryAt = 0;
  #lastFailure: unknown;

  constructor(place: PostgresPlace) {
    this.place = place;
    const { hostname, port, username, password, database, tlsMode, authorities } = place;
    this.#sql = new Bun.SQL({
      adapter: "postgres",
      hostname,
      port,
      username,
      password,
      database,
      tls: authorities === undefined ? tlsMode : { ca: authorities, ...unchecked(tlsMode) },
      max: pgConnectionsMax,
      connectionTimeout: connectSecondsMax,
      // One round trip for each statement, and poolers that give each transaction another connection can be between.
      prepare: false,
    });
  }

  /**
   * Runs `work` with a connection of its own.
   * @throws what `work` throws, NoConnection when there is none
   */
  async use<Value>(
    patience: Patience,
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value> {
    const connection = new Connection(await this.#acquire(patience), patience);
    try {
      return await work(connection);
    } finally {
      await connection.release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.close({ timeout: 0 }).catch(() => undefined);
  }

  async #acquire(patience: Patience): Promise<ReservedSQL> {
    for (;;) {
      await this.#untilNextTry(patience);
      try {
        const signal = AbortSignal.timeout(Math.max(1, patience.msLeft));
        const connection = await this.#sql.reserve({ signal });
        this.#failures = 0;
        patience.answered();
        return connection;
      } catch (error) {
        this.#onFailure(error);
        if (isFinal(error) || patience.msLeft <= 0) throw new NoConnection(this.#lastFailure);
      }
    }
  }

  /** @throws NoConnection when the next try is too late, or the engine has been away for longer than a moment */
  async #untilNextTry(patience: Patience): Promise<void> {
    const now = performance.now();
    const pause = this.#nextTryAt - now;
    if (this.#failures === 0 || pause <= 0) return;
    const isLongAway = now - this.#awaySince > patience.answerMsMax;
    if (isLongAway || pause >= patience.msLeft) throw new NoConnection(this.#lastFailure);
    await Bun.sleep(pause);
  }

  #onFailure(error: unknown): void {
    const now = performance.now();
    if (this.#failures === 0) this.#awaySince = now;
    this.#failures += 1;
    const pause = Math.min(pgRetryMs.max, pgRetryMs.min * 2 ** Math.min(this.#failures, 8));
    this.#nextTryAt = now + pause * (0.5 + Math.random() / 2);
    const isSilent = error instanceof DOMException && error.name === "TimeoutError";
    this.#lastFailure = isSilent ? new EngineLost("no connection was made in time") : error;
  }
}

/** `verify-ca` checks who vouches for the engine, not its name. */
function unchecked(mode: string): Bun.SQL.TLSOptions {
  return mode === "verify-ca" ? { checkServerIdentity: () => undefined } : {};
}
