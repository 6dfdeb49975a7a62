import { constants } from "node:fs";
import { access, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";

import { systemCodeOf } from "../../base/errors.ts";
import { engineLookMs, engineLookMsMax, storeLookMs } from "../../base/limits.ts";
import type { StartUp } from "../../cli/start-up.ts";
import { Readiness } from "../../server/http/operator-pages.ts";
import { storePathIn } from "../../state/store/open-store.ts";
import type { PostgresPlace } from "../../state/store/postgres/store-url.ts";
import type { WorkerKind } from "../program-parts.ts";

/** The state of the parts of the server, as they report it. */
export class PartsHealth {
  readonly readiness = new Readiness();
  readonly workersLost = new Map<WorkerKind, number>();
  readonly #looks: (() => void)[];

  /** @param storePlace the engine of the store, when that is not a file */
  constructor({ dirs }: StartUp, storePlace?: PostgresPlace) {
    const report = (isWell: boolean): void => this.readiness.report("store", isWell);
    const path = storePathIn(dirs.scorpioxDir);
    this.#looks = [pacedLook(storeLookMs, () => isWritable(path), report)];
    if (storePlace === undefined) return;
    const reportEngine = (isWell: boolean): void => this.readiness.report("PostgreSQL", isWell);
    const isThere = (): Promise<boolean> => acceptsConnections(storePlace);
    this.#looks.push(pacedLook(engineLookMs, isThere, reportEngine));
  }

  /**
   * A part whose state is looked up when somebody asks for it.
   * @param name shown to the operator
   */
  watch(name: string, isWell: () => boolean): void {
    this.#looks.push(() => this.readiness.report(name, isWell()));
  }

  /** Has the parts that change unnoticed looked at again. Does not wait. */
  readonly lookAtParts = (): void => {
    for (const look of this.#looks) look();
  };

  readonly onWorker = (worker: WorkerKind, isUp: boolean): void => {
    if (!isUp) this.workersLost.set(worker, (this.workersLost.get(worker) ?? 0) + 1);
    // The others are replaced before anybody could notice.
    if (worker === "upstream") this.readiness.report("MCP servers", isUp);
  };
}

/**
 * Looks at a part that changes unnoticed, when somebody asks and at most every `everyMs`. Does not wait: the answer is there for
 * the next who asks.
 * @param report receives the result of each look
 */
export function pacedLook(
  everyMs: number,
  isWell: () => Promise<boolean>,
  report: (isWell: boolean) => void,
): () => void {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - lookedAt < everyMs) return;
    lookedAt = now;
    void isWell().then(report);
  };
}

interface EnginePlace {
  readonly hostname: string;
  readonly port: number;
}

/** Whether an engine accepts connections. */
export function acceptsConnections({ hostname: host, port }: EnginePlace): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port });
  socket.setTimeout(engineLookMsMax, () => resolve(false));
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** Enough that a full disk refuses it. */
const lookBytes = 4096;

/** Whether the file of the store can be written. */
export async function isWritable(path: string): Promise<boolean> {
  const folder = dirname(path);
  const file = join(folder, `.ready-${process.pid}`);
  try {
    await access(path, constants.W_OK).catch(ignoreMissing);
    await writeFile(file, Buffer.alloc(lookBytes), { mode: 0o600 });
    return true;
  } catch (error) {
    // The folder may be missing before the first call.
    return systemCodeOf(error) === "ENOENT";
  } finally {
    await rm(file, { force: true }).catch(() => {});
  }
}

function ignoreMissing(error: unknown): void {
  if (systemCodeOf(error) !== "ENOENT") throw error;
}
