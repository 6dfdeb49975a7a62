import { type HttpReply, ReplyReader } from "./http-reply.ts";

/** Reports what happened to the one request that waits on a connection. */
interface Waiter {
  readonly resolve: (reply: HttpReply) => void;
  readonly reject: (error: Error) => void;
}

/** One keep-alive connection on a raw socket, one request at a time. */
export class HttpClient implements Disposable {
  readonly #reader = new ReplyReader();
  readonly #socket: Bun.Socket;
  #waiter: Waiter | undefined;
  #failure: Error | undefined;
  /** ASCII: its characters are bytes. */
  #unsent = "";

  private constructor(socket: Bun.Socket) {
    this.#socket = socket;
  }

  /** Rejects when nobody listens there. */
  static async connect({ hostname, port }: URL): Promise<HttpClient> {
    const { promise, resolve } = Promise.withResolvers<HttpClient>();
    let client: HttpClient | undefined;
    await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: (socket) => {
          client = new HttpClient(socket);
          resolve(client);
        },
        data: (_, bytes) => client?.receive(bytes),
        drain: () => client?.flush(),
        close: () => client?.fail(new Error("the server closed the connection")),
        error: (_, error) => client?.fail(error),
        // `Bun.connect` rejects too; without this it would also be reported as nobody's error.
        connectError: () => {},
      },
    });
    return promise;
  }

  /** Sends an encoded request. Rejects when the connection ends before the reply is whole. */
  send(request: string): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#waiter = { resolve, reject };
      this.#unsent = request;
      this.flush();
    });
  }

  /** Writes what the socket takes now. */
  flush(): void {
    if (this.#unsent === "") return;
    const written = this.#socket.write(this.#unsent);
    this.#unsent = this.#unsent.slice(Math.max(0, written));
  }

  receive(bytes: Buffer): void {
    try {
      const reply = this.#reader.push(bytes);
      if (reply !== undefined) this.#take()?.resolve(reply);
    } catch (error) {
      this.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#take()?.reject(error);
  }

  [Symbol.dispose](): void {
    this.#socket.end();
  }

  #take(): Waiter | undefined {
    const waiter = this.#waiter;
    this.#waiter = undefined;
    return waiter;
  }
}
