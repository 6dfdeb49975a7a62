import { failureOf, messageOf } from "../../base/errors.ts";
import { upstreamRelayedRestMsMax, upstreamRelayedChunksMax } from "../../base/upstream-limits.ts";
import {
  hurriedStop,
  type ServerProcess,
  type ServerProcesses,
  usualStop,
  type RelayedChild,
} from "./server-processes.ts";
import type { ProcessReport, ProcessRequest } from "./upstream-process.ts";

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

type PipeName = "output" | "errors";

/** Relays the bytes of a server's pipes where the Worker cannot reach the pipes itself (Windows). */
class Relay implements Disposable {
  /** Resolves when all output of the server was relayed. Never rejects. */
  readonly ended: Promise<unknown>;
  readonly #process: number;
  readonly #child: RelayedChild;
  readonly #send: (report: ProcessReport) => void;
  readonly #untaken: Record<PipeName, number> = { output: 0, errors: 0 };
  readonly #wakes: Partial<Record<PipeName, () => void>> = {};
  #isClosed = false;

  constructor(process: number, child: RelayedChild, send: (report: ProcessReport) => void) {
    this.#process = process;
    this.#child = child;
    this.#send = send;
    this.ended = Promise.all([
      this.#pump("output", child.stdout),
      this.#pump("errors", child.stderr),
    ]);
  }

  async write(text: string): Promise<void> {
    const report = { kind: "process-input-taken", process: this.#process } as const;
    try {
      await this.#child.stdin.write(text);
      await this.#child.stdin.flush();
      this.#send(report);
    } catch (error) {
      this.#send({ ...report, failure: messageOf(error) });
    }
  }

  endInput(): void {
    Promise.resolve(this.#child.stdin.end()).catch(() => {});
  }

  /** The Worker has read one chunk. */
  onTaken(pipe: PipeName): void {
    this.#untaken[pipe] -= 1;
    this.#wakes[pipe]?.();
  }

  /** Stops relaying: the output has no reader any more. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.endInput();
    for (const wake of Object.values(this.#wakes)) wake();
  }

  async #pump(pipe: PipeName, stream: ReadableStream<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of stream) {
        if (this.#isClosed) return;
        const base64 = Buffer.from(chunk).toString("base64");
        this.#send({ kind: "process-output", process: this.#process, pipe, base64 });
        this.#untaken[pipe] += 1;
        while (this.#untaken[pipe] >= upstreamRelayedChunksMax && !this.#isClosed) {
          await new Promise<void>((resolve) => {
            this.#wakes[pipe] = resolve;
          });
        }
      }
    } catch {
      // The process is gone.
    }
    this.#send({ kind: "process-output", process: this.#process, pipe });
  }
}
