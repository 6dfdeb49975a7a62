import type { Socket } from "node:net";

/** A connection without data for this time is no longer needed. */
const idleMsMax = 120_000;
/** A peer that was sent the end has this long to end too: closing on unread bytes would cut off the data that it reads. */
const lingerMs = 2_000;

/**
 * Passes bytes both ways until both sides ended or one failed. Each side ends by itself: one may have nothing more
 * to say and still listen. Nothing is read from a side while the other does not take it.
 */
export function relay(client: Socket, server: Socket, ended: AbortSignal): void {
  bindLives(client, server, ended);
  client.pipe(server);
  server.pipe(client);
}

/** Passes a server's answer on. */
export function relayAnswer(server: Socket, client: Socket): void {
  server.once("end", () => server.destroy());
  server.pipe(client);
}

/**
 * Neither side outlives the other by much, and neither stays without a byte for long.
 * @param ended of the proxy: from then on not even the last bytes are sent
 */
export function bindLives(client: Socket, server: Socket, ended: AbortSignal): void {
  const leave = (): void => void server.destroy();
  ended.addEventListener("abort", leave, { once: true });
  server.once("close", () => ended.removeEventListener("abort", leave));
  client.setTimeout(idleMsMax, () => client.destroy());
  server.setTimeout(idleMsMax, () => server.destroy());
  client.once("error", () => server.destroy());
  client.once("close", () => server.destroySoon());
  server.once("error", () => client.destroy());
  server.once("close", () => endGently(client));
}

/** Sends the remaining bytes and the end, then closes when the peer does, or soon. */
export function endGently(socket: Socket, last?: Buffer): void {
  if (socket.destroyed) return;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
  socket.once("end", () => socket.destroySoon());
  if (last !== undefined && !socket.writableEnded) socket.write(last);
  socket.end();
  socket.resume();
}

/**
 * Passes exactly `bytes` bytes of a request's body on, `first` being those that have already arrived. Bytes after them
 * are dropped: they would be another request, and this connection has one. A browser that ends its side does not want
 * the answer any more.
 */
export function relayBody(client: Socket, server: Socket, first: Buffer, bytes: number): void {
  let left = bytes;
  const take = (chunk: Buffer): void => {
    const part = chunk.length > left ? chunk.subarray(0, left) : chunk;
    left -= part.length;
    if (part.length === 0 || server.destroyed) return;
    if (server.write(part)) return;
    client.pause();
    server.once("drain", () => client.resume());
  };
  take(first);
  client.once("end", () => {
    client.destroy();
    server.destroy();
  });
  client.on("data", take);
  client.resume();
}

/** A browser says nothing before it is answered, or a TLS greeting at most. */
const heldBytesMax = 64 * 1024;

/**
 * Goes on reading a client while it waits for a server: the end of an unread client goes unnoticed. Its data in the
 * meantime is kept, up to a bound from which on it is not read any more.
 */
export class HeldBytes {
  readonly #chunks: Buffer[];
  #bytes: number;

  /** @param first the bytes that were already read from the socket */
  constructor(
    private readonly client: Socket,
    first: Buffer,
    private readonly onGone: () => void,
  ) {
    this.#chunks = [first];
    this.#bytes = first.length;
    client.on("data", this.#take);
    client.once("end", onGone);
    client.once("close", onGone);
    client.resume();
  }

  /** Leaves the socket paused and returns the bytes that came, for a caller that reads on in the same turn. */
  release(): Buffer {
    this.client.pause();
    this.client.removeListener("data", this.#take);
    this.client.removeListener("end", this.onGone);
    this.client.removeListener("close", this.onGone);
    return Buffer.concat(this.#chunks);
  }

  readonly #take = (data: string | Buffer): void => {
    const chunk = Buffer.from(data);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > heldBytesMax) this.client.pause();
  };
}
