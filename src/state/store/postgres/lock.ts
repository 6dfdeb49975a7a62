import { AppError } from "../../../base/errors.ts";
import { pgLockMsMax } from "../../../base/limits.ts";
import { type Connection, type Connections, Patience } from "./connections.ts";
import { engineError } from "./postgres-errors.ts";

/** Between two tries; it varies, so that replicas that wait for each other do not keep step. */
const retryMs = { min: 20, spread: 60 };

/** A holder of which the engine hears nothing for this long has lost it; the work talks to others meanwhile. */
const holderSilentMs = 60_000;

/**
 * Runs `work` under an advisory lock, which ends with its transaction.
 * @throws what `work` throws, AppError `system` when the engine cannot be used or the lock is not free in time
 */
export async function holdLock<Result>(
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
  // Begun once; whoever gets the promise hears how it ends.
  const working = isTaken ? work() : undefined;
  await working?.then(
    () => undefined,
    () => undefined,
  );
  await connection.runAll("ROLLBACK").catch(() => undefined);
  return working === undefined ? { kind: "busy" } : { kind: "held", result: () => working };
}
