import type { UpstreamProcess } from "../process/upstream-process.ts";
import { loadClientLibrary } from "./client-library.ts";
import { ConnectionError, type Endpoint } from "./connection.ts";
import { HttpTransport, type HttpPlace } from "./http-transport.ts";
import { Peer, type PeerEvents } from "./peer.ts";
import { SseTransport } from "./sse-transport.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Opens links to one server, and knows the processes that were started for them. */
export class PeerOpener {
  readonly #endpoint: Endpoint;
  readonly #signal: AbortSignal;
  readonly #processes = new Set<UpstreamProcess>();

  constructor(endpoint: Endpoint, signal: AbortSignal) {
    this.#endpoint = endpoint;
    this.#signal = signal;
  }

  /** @throws ConnectionError */
  async open(form: "usual" | "sse", eventsOf: (peer: () => Peer) => PeerEvents): Promise<Peer> {
    const peer: Peer = new Peer(eventsOf(() => peer));
    const endpoint = this.#endpoint;
    if (endpoint.transport === "stdio") {
      // Two at a time might want the same file or port.
      await this.#endAll();
      const process = await endpoint.spawn();
      this.#processes.add(process);
      peer.link = new StdioTransport(process, peer);
      return peer;
    }
    const place = readPlace(endpoint);
    const loaded = await loadClientLibrary();
    peer.link =
      form === "sse"
        ? await SseTransport.open(loaded, place, peer, this.#signal)
        : new HttpTransport(loaded, place, peer);
    return peer;
  }

  /** Ends the processes of attempts that failed; that of `kept` belongs to whoever gave it to us. */
  discardAllBut(kept: Peer | undefined): void {
    for (const process of this.#processes) {
      if (process.pid === kept?.link.pid) this.#processes.delete(process);
    }
    void this.#endAll();
  }

  async #endAll(): Promise<void> {
    const processes = [...this.#processes];
    this.#processes.clear();
    await Promise.allSettled(processes.map((process) => process.stop()));
  }
}

/** @throws ConnectionError for an address that is none of HTTP */
function readPlace({ url, headers, auth }: Extract<Endpoint, { transport: "http" }>): HttpPlace {
  const parsed = URL.parse(url);
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol)) {
    throw new ConnectionError("refused", "The URL of the server is not one of http or https.");
  }
  return { url: parsed, headers, ...(auth ? { auth } : {}) };
}
