import type { Socket } from "node:net";

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
