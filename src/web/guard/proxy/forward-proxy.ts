import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

import { AppError } from "../../../base/errors.ts";
import { hostOf, portOf } from "../../../network/host-name.ts";
import type { Roads } from "../../../network/route.ts";
import type { GuardProxy, HostRule } from "../network-guard.ts";
import { plainReply, type HeaderField } from "./request-head.ts";
import { endGently } from "./relay.ts";
import { serveClient, type PagePolicy } from "./serve-client.ts";

/** A browser opens at most 32 to a proxy; three contexts and their closing ones fit. */
const clientsMax = 256;
/** Refusals that are remembered; a page that tries more addresses shows no others than a page that tries these. */
const refusalsMax = 100;
const username = "guard";

interface ForwardProxyOptions {
  readonly roads: Roads;
  readonly configured: readonly HostRule[];
  /** Called once, when it ends. */
  readonly onEnd: (proxy: ForwardProxy) => void;
}

/** A `GuardProxy` that listens. Whatever it holds ends with it. */
export class ForwardProxy implements GuardProxy {
  readonly username = username;
  readonly password = randomBytes(24).toString("base64url");
  readonly #refusals: { host: string; reason: string }[] = [];
  readonly #clients = new Set<Socket>();
  readonly #ended = new AbortController();
  #port = 0;
  /** Undefined until `serve`. */
  #page: PagePolicy | undefined;

  private constructor(
    private readonly server: Server,
    private readonly options: ForwardProxyOptions,
  ) {}

  /** @throws AppError `system` when nothing can listen on this machine */
  static async open(options: ForwardProxyOptions): Promise<ForwardProxy> {
    const server = createServer({ allowHalfOpen: true });
    const proxy = new ForwardProxy(server, options);
    server.on("connection", (client) => proxy.#accept(client));
    try {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    } catch (error) {
      throw new AppError("system", "The proxy of the browser cannot listen on 127.0.0.1.", {
        cause: error,
      });
    }
    // Failing to accept one connection is that connection's end only.
    server.on("error", () => undefined);
    const address = server.address();
    proxy.#port = typeof address === "object" ? (address?.port ?? 0) : 0;
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get refusals(): readonly { readonly host: string; readonly reason: string }[] {
    return this.#refusals;
  }

  serve(pageUrl: URL): void {
    if (this.#page !== undefined) throw new Error("A proxy serves one page.");
    this.#page = {
      allowance: { configured: this.options.configured, own: [], pageHost: hostOf(pageUrl) },
      connectPorts: new Set([80, 443, portOf(pageUrl)]),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    this.options.onEnd(this);
    const closed = new Promise<void>((resolve) => {
      this.server.close(() => resolve());
    });
    for (const client of this.#clients) client.destroy();
    await closed;
  }

  #accept(client: Socket): void {
    // Without a listener a reset would end the process.
    client.on("error", () => undefined);
    if (this.#ended.signal.aborted) return void client.destroy();
    if (this.#clients.size >= clientsMax) {
      return endGently(client, plainReply(503, `At most ${clientsMax} connections are served.`));
    }
    this.#clients.add(client);
    client.once("close", () => this.#clients.delete(client));
    const policy = {
      roads: this.options.roads,
      page: () => this.#page,
      isAuthorized: (fields: readonly HeaderField[]) => this.#isAuthorized(fields),
      onRefusal: (host: string, reason: string) => this.#remember(host, reason),
    };
    void serveClient(client, policy, this.#ended.signal);
  }

  /** Compares digests, which are of one length and say nothing by how long it takes. */
  #isAuthorized(fields: readonly HeaderField[]): boolean {
    const given = fields.filter(([name]) => name.toLowerCase() === "proxy-authorization");
    const [, encoded] = /^basic +(\S+)$/i.exec(given[0]?.[1] ?? "") ?? [];
    if (encoded === undefined || given.length !== 1) return false;
    const wanted = Buffer.from(`${this.username}:${this.password}`).toString("base64");
    return timingSafeEqual(digest(encoded), digest(wanted));
  }

  #remember(host: string, reason: string): void {
    this.#refusals.push({ host, reason });
    if (this.#refusals.length > refusalsMax) this.#refusals.shift();
  }
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
