import { upstreamInstallAgainMs, upstreamInstallWaitMs } from "../../base/upstream-limits.ts";
import type { Prepared } from "../install/installer.ts";
import { installingText } from "../install/installing-text.ts";
import type { Installing } from "../server-state.ts";
import { ConnectionDown } from "./connection-down.ts";
import type { ConnectionMachine } from "./connection-machine.ts";
import type { ConnectionParts } from "./connection-parts.ts";

/** What a start needs before there can be a process, and what is told of it meanwhile. */
export class ConnectionPreparation {
  readonly #parts: Pick<ConnectionParts, "prepare" | "time" | "onState">;
  readonly #machine: ConnectionMachine;
  #startedAs: string | undefined;

  constructor(
    parts: Pick<ConnectionParts, "prepare" | "time" | "onState">,
    machine: ConnectionMachine,
  ) {
    this.#parts = parts;
    this.#machine = machine;
  }

  /** How it was started last, where that is not what its entry says. */
  get startedAs(): string | undefined {
    return this.#startedAs;
  }

  /** Takes as long as it takes. @throws as `ConnectionParts.prepare` does */
  async run(signal: AbortSignal): Promise<Prepared | undefined> {
    const prepared = await this.#parts.prepare?.(signal, (installing) => {
      if (!signal.aborted) this.#note(installing);
    });
    if (!signal.aborted) this.#note(undefined);
    this.#startedAs = prepared?.startedAs;
    return prepared;
  }

  /**
   * For whoever waits for a connection: a package may take minutes.
   * @throws LinkDown when it is still being fetched after some seconds; else it never settles
   */
  async orTooLong(connected: Promise<unknown>): Promise<never> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#parts.time.after(upstreamInstallWaitMs, resolve);
    await Promise.race([promise, connected]).finally(() => timer.stop());
    const { state } = this.#machine;
    if (state.kind === "starting" && state.installing !== undefined) {
      throw new ConnectionDown(
        installingText(state.installing),
        "installing",
        upstreamInstallAgainMs,
      );
    }
    return new Promise(() => {});
  }

  #note(installing: Installing | undefined): void {
    const { state } = this.#machine;
    if (state.kind !== "starting" || state.installing === installing) return;
    this.#machine.onInstalling(installing);
    this.#parts.onState();
  }
}
