import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

import { AppError } from "../../base/errors.ts";
import { GuardedFetch } from "../../network/guarded-fetch.ts";
import { hostOf, portOf } from "../../network/host-name.ts";
import {
  type Destination,
  type HostAccess,
  type Resolve,
  resolveBySystem,
} from "../../network/judge-host.ts";
import { type Roads, roadsOf } from "../../network/route.ts";
import {
  type GuardedRequest,
  type GuardProxy,
  hostAccessOf,
  type HostRule,
  type NetworkGuard,
  parseHostRules,
} from "./network-guard.ts";
import { endGently } from "./proxy/relay.ts";
import { type HeaderField, plainReply } from "./proxy/request-head.ts";
import { type PagePolicy, serveClient } from "./proxy/serve-client.ts";

export interface GuardOptions {
  /** `READDOCS_ALLOW_HOSTS`: names or addresses, with a port or for all ports. Other values allow nothing. */
  readonly allowHosts: readonly string[];
  /** The proxy variables, see `WebOptions.proxyEnv`. */
  readonly proxyEnv: Readonly<Record<string, string>>;
  /** In place of the system's resolver. */
  readonly resolve?: Resolve;
}

/** The guard. Disposing of it ends its requests and its proxies. */
export function createGuard(options: GuardOptions): NetworkGuard {
  const roads = roadsOf(options.proxyEnv, options.resolve ?? resolveBySystem);
  const configured = parseHostRules(options.allowHosts);
  const fetcher = new GuardedFetch(roads);
  const proxies = new Set<ForwardProxy>();
  const ended = new AbortController();

  return {
    async fetch(request: GuardedRequest): Promise<Response> {
      const { url, pageUrl, allowHosts } = request;
      const own = parseHostRules(allowHosts ?? []);
      const allowance = { configured, own, pageHost: hostOf(pageUrl ?? url) };
      const signal = AbortSignal.any([request.signal, ended.signal]);
      const access = (to: Destination): HostAccess => hostAccessOf(to, allowance);
      return (await fetcher.fetch({ ...request, signal }, access)).response;
    },
    async openProxy(): Promise<GuardProxy> {
      if (ended.signal.aborted) throw new AppError("cancelled", "The network guard has ended.");
      const onEnd = (proxy: ForwardProxy): void => void proxies.delete(proxy);
      const proxy = await ForwardProxy.open({ roads, configured, onEnd });
      proxies.add(proxy);
      // It may have ended while the proxy opened.
      if (ended.signal.aborted) await proxy[Symbol.asyncDispose]();
      return proxy;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      ended.abort();
      await Promise.all([...proxies].map((proxy) => proxy[Symbol.asyncDispose]()));
    },
  };
}

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
class ForwardProxy implements GuardProxy {
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
