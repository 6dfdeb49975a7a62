import { randomUUID } from "node:crypto";

import { AppError } from "../../../base/errors.ts";
import { pgCallMsMax, pgConflictTriesMax } from "../../../base/limits.ts";
import type { StoreOutcome } from "../commit-together.ts";
import type { Dialect, Steps } from "../steps.ts";
import { isWrite, type StoreCall, storeCallSteps } from "../store-methods.ts";
import { type Connection, type Connections, Patience } from "./connections.ts";
import { engineError, isConflict, isLoss } from "./postgres-errors.ts";
import { newerError, programVersion } from "./postgres-schema.ts";

const postgresDialect: Dialect = {
  lateTables: undefined,
  numbersIn: (placeholder) =>
    `SELECT value::bigint FROM json_array_elements_text(${placeholder}::text::json)`,
  lock: "FOR UPDATE",
};

/**
 * For one transaction each, since a pooler may give the next one another connection. When this process is gone or cut off the
 * engine undoes the transaction on its own, so that its locks end; nobody waits longer for a lock than a caller does. An
 * acknowledged change is on the disk, however the engine is set.
 */
const settings = `SELECT set_config('search_path', 'scorpiox', true),
  set_config('lock_timeout', '800', true),
  set_config('statement_timeout', '10000', true),
  set_config('idle_in_transaction_session_timeout', '2000', true);
SELECT set_config('synchronous_commit', 'on', true)
  WHERE current_setting('synchronous_commit') = 'off'`;

/** The whole transaction sees one state, as in SQLite. */
const beginReading = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${settings}`;

/**
 * Begins, and records the transaction under an id, which says after a lost connection whether it was kept. Waits for
 * one of the same id that still runs. Without a row it was recorded before, or the schema is not for this program any more.
 */
function beginWriting(changeId: string): string {
  return `BEGIN; ${settings};
    INSERT INTO store_changes (change_id)
      SELECT '${changeId}'::uuid WHERE (SELECT oldest_program FROM store_schema) <= ${programVersion}
      ON CONFLICT (change_id) DO NOTHING RETURNING change_id`;
}

/** Conflicting transactions do not keep step. */
const conflictPauseMs = 20;

/** Requests about one scope that are done in one transaction, once, however often the connection is lost meanwhile. */
export class Batch {
  readonly #connections: Connections;
  readonly #calls: readonly StoreCall[];
  readonly #changeId = randomUUID();
  /** Outcomes of a transaction whose COMMIT was sent and not answered. */
  #inDoubt: StoreOutcome[] | undefined;

  constructor(connections: Connections, calls: readonly StoreCall[]) {
    this.#connections = connections;
    this.#calls = calls;
  }

  /** Resolves when the changes are kept. @throws AppError `system` when none of them was done, or nobody knows */
  async perform(): Promise<StoreOutcome[]> {
    const patience = new Patience();
    const endAt = performance.now() + pgCallMsMax;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#connections.use(patience, (connection) => this.#attempt(connection));
      } catch (error) {
        if (performance.now() >= endAt) throw this.#described(error);
        if (isConflict(error) && tries < pgConflictTriesMax) {
          await Bun.sleep(Math.random() * conflictPauseMs * tries);
        } else if (!isLoss(error) || patience.msLeft <= 0) throw this.#described(error);
      }
    }
  }

  #described(error: unknown): AppError {
    if (!this.#calls.some(isWrite)) return engineError(this.#name, error);
    const outcome =
      this.#inDoubt === undefined
        ? "Nothing was changed."
        : "The change may have been saved anyway: check before you repeat it.";
    return engineError(this.#name, error, outcome);
  }

  get #name(): string {
    return this.#connections.place.name;
  }

  #attempt(connection: Connection): Promise<StoreOutcome[]> {
    return this.#calls.some(isWrite) ? this.#write(connection) : this.#read(connection);
  }

  async #read(connection: Connection): Promise<StoreOutcome[]> {
    await connection.runAll(beginReading);
    const { outcomes } = await this.#all(connection);
    await connection.commit();
    return outcomes;
  }

  async #write(connection: Connection): Promise<StoreOutcome[]> {
    const recorded = await connection.runAll(beginWriting(this.#changeId));
    if (recorded.length === 0) {
      await connection.runAll("ROLLBACK");
      if (this.#inDoubt !== undefined) return this.#inDoubt;
      throw newerError(this.#name);
    }
    this.#inDoubt = undefined;
    const { outcomes, isSpoilt } = await this.#all(connection);
    if (isSpoilt || outcomes.every(({ kind }) => kind === "refused")) {
      await connection.runAll("ROLLBACK");
      return isSpoilt ? this.#oneByOne() : outcomes;
    }
    this.#inDoubt = outcomes;
    try {
      await connection.commit();
    } catch (error) {
      // An answer that refuses it leaves no doubt.
      if (!isLoss(error)) this.#inDoubt = undefined;
      throw error;
    }
    return outcomes;
  }

  /** Spoilt when one of several was refused after it had written something: then it takes the others along. */
  async #all(connection: Connection): Promise<{ outcomes: StoreOutcome[]; isSpoilt: boolean }> {
    const outcomes: StoreOutcome[] = [];
    for (const call of this.#calls) {
      const { outcome, hasWritten } = await attempt(connection, call);
      outcomes.push(outcome);
      const isSpoilt = outcome.kind === "refused" && hasWritten && this.#calls.length > 1;
      if (isSpoilt) return { outcomes, isSpoilt };
    }
    return { outcomes, isSpoilt: false };
  }

  async #oneByOne(): Promise<StoreOutcome[]> {
    const outcomes: StoreOutcome[] = [];
    for (const call of this.#calls) outcomes.push(await this.#alone(call));
    return outcomes;
  }

  async #alone(call: StoreCall): Promise<StoreOutcome> {
    try {
      const [outcome] = await new Batch(this.#connections, [call]).perform();
      return outcome ?? { kind: "refused", error: new AppError("system", "It was not done.") };
    } catch (error) {
      const failure = error instanceof AppError ? error : engineError(this.#name, error);
      return { kind: "refused", error: failure };
    }
  }
}

async function attempt(
  connection: Connection,
  call: StoreCall,
): Promise<{ outcome: StoreOutcome; hasWritten: boolean }> {
  let hasWritten = false;
  const steps: Steps<unknown> = storeCallSteps(postgresDialect, call);
  try {
    let step = steps.next();
    while (step.done !== true) {
      hasWritten ||= !step.value.text.startsWith("SELECT");
      step = steps.next(await connection.rows(step.value));
    }
    return { outcome: { kind: "done", value: step.value ?? null }, hasWritten };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { outcome: { kind: "refused", error }, hasWritten };
  }
}
