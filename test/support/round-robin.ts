/** The address of one replica; a new one when it was restarted elsewhere. */
export interface Replica {
  /** `http://127.0.0.1:PORT`. */
  origin: string;
  /** It gets no new requests, as one that a load balancer has taken out. */
  isOut?: boolean;
}

/**
 * A reverse proxy in front of replicas, as a load balancer without affinity: each request goes to the next replica. One that
 * does not accept the connection is passed over; a request that broke off on its way is answered with 502, since it may have run.
 */
export class RoundRobin implements AsyncDisposable {
  readonly #replicas: readonly Replica[];
  readonly #server: Bun.Server<undefined>;
  #next = 0;
  /** Requests that no replica took, or that broke off. */
  failures = 0;

  constructor(replicas: readonly Replica[]) {
    this.#replicas = replicas;
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      development: false,
      // A body that broke off with its replica breaks off here too.
      error: () => new Response("the replica is gone\n", { status: 502 }),
      fetch: (request) => this.#forward(request),
    });
  }

  /** Without a path. */
  get origin(): string {
    return this.#server.url.origin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #forward(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("host");
    headers.delete("connection");
    const hasBody = request.method !== "GET" && request.method !== "HEAD";
    const body = hasBody ? await request.arrayBuffer() : undefined;
    let reason = "no replica listens";
    for (let tries = 0; tries < this.#replicas.length; tries += 1) {
      const replica = this.#replicas[(this.#next += 1) % this.#replicas.length];
      if (replica === undefined || replica.isOut === true) continue;
      try {
        const response = await fetch(replica.origin + pathname + search, {
          method: request.method,
          headers,
          ...(body === undefined ? {} : { body }),
          signal: request.signal,
          redirect: "manual",
          decompress: false,
          // A connection that is kept may belong to a replica that was killed: nobody knows what it got.
          keepalive: false,
        });
        return new Response(response.body, { status: response.status, headers: response.headers });
      } catch (error) {
        reason = String(error);
        if (!isRefused(error)) break;
      }
    }
    this.failures += 1;
    return new Response(`the replica is gone: ${reason}\n`, { status: 502 });
  }
}

/** The connection was not accepted: nothing was sent. */
function isRefused(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "ConnectionRefused" || code === "ECONNREFUSED";
}
