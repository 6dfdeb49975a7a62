import { createServer, type Server, type Socket } from "node:net";

import { AppError } from "../../../src/base/errors.ts";
import { createGuard } from "../../../src/web/guard/create-guard.ts";
import { type NetworkGuard } from "../../../src/web/guard/network-guard.ts";
import type { LoadedPage } from "../../../src/web/pages/page-url.ts";
import { PageCache } from "../../../src/web/pages/page-cache.ts";
import { PageLoader } from "../../../src/web/pages/page-loader.ts";

export const never = new AbortController().signal;

type Route = (request: Request, url: URL) => Response | Promise<Response>;

interface Options {
  readonly msMax?: number;
  readonly loadingMax?: number;
  readonly sizeMax?: number;
}

/** A server on this machine, and what gets its pages through the real guard. */
export class PageHarness implements AsyncDisposable {
  /** Milliseconds on the clock of the cache. */
  now = 0;
  /** Path and query of each request. */
  readonly hits: string[] = [];
  readonly guard: NetworkGuard = createGuard({ allowHosts: ["127.0.0.1"], proxyEnv: {} });
  readonly cache: PageCache;
  readonly loader: PageLoader;
  readonly #server: Bun.Server<undefined>;

  constructor(route: Route, options: Options = {}) {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: (request) => {
        const url = new URL(request.url);
        this.hits.push(url.pathname + url.search);
        return route(request, url);
      },
    });
    this.cache = new PageCache(options.sizeMax, () => this.now);
    const { sizeMax: _, ...limits } = options;
    this.loader = new PageLoader({ guard: this.guard, cache: this.cache, ...limits });
  }

  /** `http://127.0.0.1:<port>`. */
  get origin(): string {
    return this.#server.url.origin;
  }

  /** @param target a path of this server, or a URL */
  page(target: string, signal = never): Promise<LoadedPage> {
    const url = target.startsWith("/") ? this.origin + target : target;
    return this.loader.fetchPage({ url }, signal);
  }

  async text(target: string): Promise<string> {
    return textOf(await this.page(target));
  }

  failure(target: string, signal = never): Promise<unknown> {
    return failureOf(this.page(target, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
    await this.guard[Symbol.asyncDispose]();
  }
}

export function textOf({ body }: LoadedPage): string {
  return body.kind === "text" ? body.text : `(${body.kind})`;
}

/** Code and message of an `AppError`; anything else as it is. */
export function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => ({ value }),
    (error: unknown) =>
      error instanceof AppError ? { code: error.code, message: error.message } : error,
  );
}

/** A server that writes what it likes to each connection, once something has come. */
export class RawServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections that the other side has closed. */
  closed = 0;

  private constructor(answer: (socket: Socket) => void) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.closed++;
        this.#sockets.delete(socket);
      });
      socket.once("data", () => answer(socket));
    });
  }

  static async start(answer: (socket: Socket) => void): Promise<RawServer> {
    const server = new RawServer(answer);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    return promise;
  }
}
