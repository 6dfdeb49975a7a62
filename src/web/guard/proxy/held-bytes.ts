import type { Socket } from "node:net";

/** A browser says nothing before it is answered, or a TLS greeting at most. */
const heldBytesMax = 64 * 1024;

/**
 * Goes on reading a client while it waits for a server: one that is not read is not seen to go. What it says
 * meanwhile is kept, up to a bound from which on it is not read any more.
 */
export class HeldBytes {
  readonly #chunks: Buffer[];
  #bytes: number;

  /** @param first what was taken off the socket before */
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

  /** Leaves the socket paused and gives what came, for whoever reads on in the same turn. */
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
