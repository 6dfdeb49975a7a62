import { messageOf } from "../../base/errors.ts";
import { upstreamRelayedChunksMax } from "../../base/upstream-limits.ts";
import type { ProcessReport } from "./process-messages.ts";
import type { RelayedChild } from "./spawn-server.ts";

type PipeName = "output" | "errors";

/** Relays the bytes of a server's pipes where the Worker cannot reach the pipes itself (Windows). */
export class Relay implements Disposable {
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
