import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * A load balancer that passes bytes on as they are: each connection goes to the next replica. For tests of what stands on the
 * wire, which `RoundRobin` would write anew.
 */
export class ConnectionRobin implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #next = 0;

  private constructor(ports: readonly number[]) {
    // Each side may end what it sends and still read.
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const port = ports[(this.#next += 1) % ports.length] ?? 0;
      this.#join(client, connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true }));
    });
  }

  /** @param ports of the replicas, on this machine */
  static async start(ports: readonly number[]): Promise<ConnectionRobin> {
    const robin = new ConnectionRobin(ports);
    await new Promise<void>((resolve) => robin.#server.listen(0, "127.0.0.1", resolve));
    return robin;
  }

  /** Without a path. */
  get origin(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket, replica: Socket): void {
    for (const [from, to] of [
      [client, replica],
      [replica, client],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      // What came before a reset is passed on: it is followed by `close`.
      from.on("error", () => {});
      from.on("close", () => {
        this.#sockets.delete(from);
        to.destroySoon();
      });
    }
  }
}
