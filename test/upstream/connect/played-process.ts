import type { Params } from "../../../src/protocol/json-rpc.ts";
import type { UpstreamProcess } from "../../../src/upstream/process/upstream-process.ts";

/** What a played server does with a message. */
export type Part = (message: Params, play: PlayedProcess) => void;

/** A server at a pipe that says what a test wants, when it wants it. */
export class PlayedProcess implements UpstreamProcess {
  readonly output: ReadableStream<Uint8Array>;
  readonly heard: Params[] = [];
  readonly #part: Part;
  readonly #ended = Promise.withResolvers<Awaited<UpstreamProcess["ended"]>>();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #errorAt: number | undefined;
  isStopped = false;

  constructor(
    readonly pid: number,
    part: Part,
  ) {
    this.#part = part;
    this.output = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = undefined;
      },
    });
  }

  /** The methods of what it was told, in their order. */
  get methods(): unknown[] {
    return this.heard.map(({ method }) => method);
  }

  answer({ id }: Params, result: unknown): void {
    this.#say({ jsonrpc: "2.0", id, result });
  }

  refuse({ id }: Params, code = -32_601, data?: unknown): void {
    this.#say({ jsonrpc: "2.0", id, error: { code, message: "no", data } });
  }

  writeError(): void {
    this.#errorAt = performance.now();
  }

  exit(exitCode = 1): void {
    this.#ended.resolve({ exitCode, signal: null });
    this.#controller?.close();
    this.#controller = undefined;
  }

  write(text: string): Promise<void> {
    for (const line of text.trim().split("\n")) {
      const message = JSON.parse(line) as Params;
      this.heard.push(message);
      queueMicrotask(() => this.#part(message, this));
    }
    return Promise.resolve();
  }

  get ended(): UpstreamProcess["ended"] {
    return this.#ended.promise;
  }

  stderrTail(): readonly string[] {
    return [];
  }

  lastErrorAt(): number | undefined {
    return this.#errorAt;
  }

  endInput(): void {}

  [Symbol.asyncDispose](): Promise<void> {
    this.isStopped = true;
    this.exit(0);
    return Promise.resolve();
  }

  #say(message: unknown): void {
    this.#controller?.enqueue(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }
}
