import { upstreamInstallAgainMs, upstreamInstallWaitMs } from "../../base/upstream-limits.ts";
import type { Prepared } from "../install/installer.ts";
import { installingText } from "../install/installing-text.ts";
import type { Installing } from "../server-state.ts";
import { LinkDown } from "./link-down.ts";
import type { LinkMachine } from "./link-machine.ts";
import type { LinkParts } from "./link-parts.ts";

/** What a start needs before there can be a process, and what is told of it meanwhile. */
export class LinkPreparation {
  readonly #parts: Pick<LinkParts, "prepare" | "time" | "onState">;
  readonly #machine: LinkMachine;
  #startedAs: string | undefined;

  constructor(parts: Pick<LinkParts, "prepare" | "time" | "onState">, machine: LinkMachine) {
    this.#parts = parts;
    this.#machine = machine;
  }

  /** How it was started last, where that is not what its entry says. */
  get startedAs(): string | undefined {
    return this.#startedAs;
  }

  /** Takes as long as it takes. @throws as `LinkParts.prepare` does */
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
      throw new LinkDown(installingText(state.installing), "installing", upstreamInstallAgainMs);
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
