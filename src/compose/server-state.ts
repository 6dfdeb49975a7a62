import { engineLookMs, storeLookMs } from "../base/limits.ts";
import type { StartUp } from "../cli/start-up.ts";
import { Readiness } from "../server/http/operator-pages.ts";
import { storePathIn } from "../state/store/open-store.ts";
import type { PostgresPlace } from "../state/store/postgres/store-url.ts";
import { acceptsConnections, isWritable, pacedLook } from "./part-looks.ts";
import type { WorkerKind } from "./program-parts.ts";

/** The state of the parts of the server, as they report it. */
export class ServerState {
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
