import { failureOf } from "../../base/errors.ts";
import { upstreamRelayedRestMsMax } from "../../base/upstream-limits.ts";
import type { ProcessReport, ProcessRequest } from "../process/process-messages.ts";
import { Relay } from "../process/relay.ts";
import {
  hurriedStop,
  type ServerProcess,
  type ServerProcesses,
  usualStop,
} from "../process/server-processes.ts";

interface Linked {
  readonly server: ServerProcess;
  readonly relay: Relay | undefined;
  isOpened: boolean;
  isGone: boolean;
}

/** The processes that one Worker has started, by its numbers. */
export class ChannelProcesses implements AsyncDisposable {
  readonly #processes: () => Promise<ServerProcesses>;
  readonly #send: (report: ProcessReport) => void;
  readonly #linked = new Map<number, Linked>();
  #isClosed = false;

  /** @param processes called at the first start */
  constructor(processes: () => Promise<ServerProcesses>, send: (report: ProcessReport) => void) {
    this.#processes = processes;
    this.#send = (report) => {
      if (!this.#isClosed) send(report);
    };
  }

  receive(request: ProcessRequest): void {
    const linked = this.#linked.get(request.process);
    switch (request.kind) {
      case "start-process":
        return void this.#start(request);
      case "process-opened":
        return this.#onOpened(request.process, linked);
      case "stop-process":
        return void linked?.server.stop(usualStop);
      case "process-input":
        return void linked?.relay?.write(request.text);
      case "end-process-input":
        return linked?.relay?.endInput();
      case "process-output-taken":
        return linked?.relay?.onTaken(request.pipe);
    }
  }

  /** Ends all of them while the Worker closes their inputs; reports their ends to it. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#linked.values()].map(({ server }) => server.stop(hurriedStop)));
  }

  /** Ends all servers after the Worker is gone with its ends of the pipes. Resolves when they are gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const linked = [...this.#linked.values()];
    for (const one of linked) {
      closeOwnEnds(one);
      one.relay?.[Symbol.dispose]();
    }
    await this.endAll();
  }

  async #start(request: Extract<ProcessRequest, { kind: "start-process" }>): Promise<void> {
    const { process, launch } = request;
    try {
      const processes = await this.#processes();
      this.#follow(process, await processes.start(launch));
    } catch (error) {
      this.#send({ kind: "process-refused", process, ...failureOf(error) });
    }
  }

  #follow(process: number, server: ServerProcess): void {
    const { pipes } = server.spawned;
    const relay =
      pipes.kind === "relayed" ? new Relay(process, pipes.child, this.#send) : undefined;
    const linked: Linked = { server, relay, isOpened: false, isGone: false };
    if (this.#isClosed) {
      closeOwnEnds(linked);
      relay?.[Symbol.dispose]();
      return void server.stop(hurriedStop);
    }
    this.#linked.set(process, linked);
    const place =
      pipes.kind === "relayed"
        ? ({ kind: "relayed" } as const)
        : ({ kind: "descriptors", ...pipes.descriptors } as const);
    this.#send({ kind: "process-started", process, pid: server.pid, pipes: place });
    void server.ended.then((how) => this.#send({ kind: "process-ended", process, ...how }));
    void server.gone.then(async () => {
      // The Worker still has to read its last output; an escaped process may hold the pipe open forever.
      if (relay !== undefined)
        await Promise.race([relay.ended, Bun.sleep(upstreamRelayedRestMsMax)]);
      this.#send({ kind: "process-gone", process });
      linked.isGone = true;
      // Even after an immediate end, its descriptors wait for the Worker to read the output.
      if (linked.isOpened) this.#linked.delete(process);
    });
  }

  #onOpened(process: number, linked: Linked | undefined): void {
    closeOwnEnds(linked);
    if (linked === undefined) return;
    linked.isOpened = true;
    if (linked.isGone) this.#linked.delete(process);
  }
}

/** Closes the main thread's descriptors once the Worker has its own copies, or is gone. */
function closeOwnEnds(linked: Linked | undefined): void {
  if (linked?.server.spawned.pipes.kind === "descriptors")
    linked.server.spawned.pipes[Symbol.dispose]();
}
