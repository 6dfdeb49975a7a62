import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** A server of raw bytes on 127.0.0.1, with all that it holds closed at disposal. */
export class RawServer implements AsyncDisposable {
  readonly sockets = new Set<Socket>();
  /** Connections ever made. */
  accepted = 0;

  private constructor(private readonly server: Server) {}

  static async start(
    serve: (socket: Socket) => void,
    options: { readonly host?: string; readonly allowHalfOpen?: boolean } = {},
  ): Promise<RawServer> {
    const server = createServer({ allowHalfOpen: options.allowHalfOpen ?? false });
    const raw = new RawServer(server);
    server.on("connection", (socket) => {
      raw.accepted++;
      raw.sockets.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => raw.sockets.delete(socket));
      serve(socket);
    });
    server.listen(0, options.host ?? "127.0.0.1");
    await once(server, "listening");
    return raw;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
  }
}

/** Answers every request of a connection with `head` and `body` as they are, and ends it. */
export const saying =
  (text: string | Buffer) =>
  (socket: Socket): void => {
    socket.once("data", () => socket.end(text));
  };

/** What a peer says until it closes, after `sent` was written to it. */
export async function exchange(
  port: number,
  ...sent: readonly (string | Buffer)[]
): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  await once(socket, "connect");
  await writeSlowly(socket, sent);
  await once(socket, "close");
  return Buffer.concat(chunks).toString("latin1");
}

/** Writes each part when the one before is gone. */
export async function writeSlowly(
  socket: Socket,
  parts: readonly (string | Buffer)[],
): Promise<void> {
  for (const part of parts) {
    await new Promise<void>((resolve) => {
      socket.write(part, () => resolve());
    });
  }
}

/** Waits until something is so; the test's own time limit is the deadline. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(2);
}
