/** A connection that sends exactly the bytes it is told to. */
export class RawClient implements Disposable {
  readonly #socket: Bun.Socket;
  readonly #closed: Promise<void>;
  #received = "";
  #watchers: (() => void)[] = [];

  private constructor(socket: Bun.Socket, closed: Promise<void>) {
    this.#socket = socket;
    this.#closed = closed;
  }

  static async connect(port: number): Promise<RawClient> {
    const closed = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_socket, bytes) => client.#receive(bytes),
        close: () => closed.resolve(),
        error: () => {},
      },
    });
    const client = new RawClient(socket, closed.promise);
    return client;
  }

  /** All that came until the server closed the connection. */
  async rest(): Promise<string> {
    await this.#closed;
    return this.#received;
  }

  send(text: string | Uint8Array): void {
    this.#socket.write(text);
    this.#socket.flush();
  }

  /** Resolves with all that was received when it contains `text`. */
  async receivedText(text: string): Promise<string> {
    while (!this.#received.includes(text)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.push(resolve);
      await promise;
    }
    return this.#received;
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }

  #receive(bytes: Uint8Array): void {
    this.#received += Buffer.from(bytes).toString();
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const watch of watchers) watch();
  }
}
