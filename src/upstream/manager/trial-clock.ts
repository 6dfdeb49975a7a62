import type { TrialStep } from "../tried-server.ts";
import type { ManagerParts } from "./manager-parts.ts";

/** Measures the steps of a start. */
export class TrialClock {
  readonly #parts: ManagerParts;
  #installMs: number | undefined;
  #startMs: number | undefined;
  #negotiateMs: number | undefined;
  #listMs: number | undefined;
  #connectedAt: number | undefined;
  #isStarted = true;

  constructor(parts: ManagerParts) {
    this.#parts = parts;
  }

  /** To be used in the place of those that it was made with. */
  get parts(): Pick<ManagerParts, "host" | "installer" | "openConnection"> {
    const { host, installer, openConnection, clock } = this.#parts;
    return {
      installer: {
        prepare: async (wish, signal, tell) => {
          const begin = clock();
          let isNeeded = false;
          try {
            return await installer.prepare(wish, signal, (installing) => {
              isNeeded = true;
              tell(installing);
            });
          } finally {
            if (isNeeded) this.#installMs = (this.#installMs ?? 0) + clock() - begin;
          }
        },
      },
      host: {
        startProcess: async (launch) => {
          const begin = clock();
          try {
            return await host.startProcess(launch);
          } catch (error) {
            this.#isStarted = false;
            throw error;
          } finally {
            // A server that ends at the first question is started twice.
            this.#startMs = (this.#startMs ?? 0) + clock() - begin;
          }
        },
        log: (server, line) => host.log(server, line),
        publish: () => {},
        notify: () => {},
      },
      openConnection: async (options, events, signal) => {
        const begin = clock();
        try {
          const connection = await openConnection(options, events, signal);
          this.#connectedAt = clock();
          return connection;
        } finally {
          if (this.#isStarted) this.#negotiateMs = clock() - begin - (this.#startMs ?? 0);
        }
      },
    };
  }

  /** The lists are read, or never will be. */
  onSettled(): void {
    if (this.#connectedAt !== undefined) this.#listMs = this.#parts.clock() - this.#connectedAt;
  }

  /** Those that were begun, in their order. @param isUsable all went well */
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
    // What came last is what failed.
    return begun.map((step, index) =>
      index === begun.length - 1 && !isUsable ? { ...step, isDone: false } : step,
    );
  }
}
