import type { ChannelPort } from "../base/worker-channel/channel-port.ts";
import { encodeToWorker, encodeFromWorker } from "../base/worker-channel/channel-messages.ts";
import { readProcStat } from "../commands/process/processes.ts";
import type { HubLinkHandlers } from "./link/hub-link.ts";
import type { ReachedHub } from "./link/reach-hub.ts";

export interface HubPortParts {
  /**
   * Resolves with a connection to the hub, however long its start takes; undefined where this process is to do without
   * one. Never rejects.
   */
  readonly connect: (
    handlers: HubLinkHandlers,
    signal: AbortSignal,
  ) => Promise<ReachedHub | undefined>;
  /** The hub of that generation is given up: it has answered nothing. */
  readonly onSilent: (generation: number) => void;
  /** The way without a hub: a Worker of this process. */
  readonly openWorker: () => ChannelPort;
}

/** The answer to a look while the hub is being reached: that is slow at times, and no failure. */
const [pong = ""] = encodeFromWorker([{ kind: "pong" }]);
const ping = encodeToWorker({ kind: "ping" });
const closing = encodeToWorker({ kind: "close" });
/** States of a process that a signal or a debugger has stopped. */
const stoppedStates = new Set(["T", "t"]);

/**
 * The hub in the place of the upstream Worker: the same messages over a socket. They wait until the hub is reached, and go
 * to a Worker of this process where no hub is used.
 */
export class HubPort implements ChannelPort {
  readonly #parts: HubPortParts;
  readonly #ending = new AbortController();
  #waiting: string[] = [];
  #hub: ReachedHub | undefined;
  #worker: ChannelPort | undefined;
  #onText: (text: string) => void = () => {};
  /** It ends on purpose, or has ended by itself. */
  #isOver = false;

  constructor(parts: HubPortParts) {
    this.#parts = parts;
  }

  listen(onText: (text: string) => void, onEnd: (reason: string) => void): void {
    this.#onText = onText;
    const handlers: HubLinkHandlers = {
      onText,
      onClosed: (reason) => {
        this.#isOver = true;
        onEnd(reason);
      },
    };
    void this.#parts.connect(handlers, this.#ending.signal).then((hub) => {
      if (this.#ending.signal.aborted) return hub?.link.close();
      this.#hub = hub;
      if (hub === undefined) {
        this.#worker = this.#parts.openWorker();
        this.#worker.listen(onText, onEnd);
      }
      for (const text of this.#waiting.splice(0)) this.#post(text);
    });
  }

  postMessage(text: string): void {
    if (text === closing) this.#isOver = true;
    if (this.#hub !== undefined || this.#worker !== undefined) return this.#post(text);
    if (text !== ping) this.#waiting.push(text);
    else queueMicrotask(() => this.#onText(pong));
  }

  isStopped(): boolean {
    const state = this.#hub === undefined ? undefined : readProcStat(this.#hub.pid)?.state;
    return state !== undefined && stoppedStates.has(state);
  }

  terminate(): void {
    this.#ending.abort();
    this.#waiting = [];
    this.#worker?.terminate();
    if (this.#hub === undefined) return;
    if (!this.#isOver) this.#parts.onSilent(this.#hub.generation);
    this.#hub.link.close();
  }

  #post(text: string): void {
    this.#hub?.link.send(text);
    this.#worker?.postMessage(text);
  }
}
