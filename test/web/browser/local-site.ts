import { paragraph } from "./browser-harness.ts";

type Answer = (request: Request, url: URL) => Response | Promise<Response>;

/** A server on this machine that plays a site, and the paths that it was asked for. */
export class LocalSite implements AsyncDisposable {
  readonly hits: string[] = [];
  readonly #server: Bun.Server<undefined>;

  constructor(routes: Readonly<Record<string, Answer | string>>, hostname = "127.0.0.1") {
    this.#server = Bun.serve({
      port: 0,
      hostname,
      idleTimeout: 0,
      fetch: (request) => {
        const url = new URL(request.url);
        this.hits.push(url.pathname);
        const route = routes[url.pathname];
        if (typeof route === "string") return html(route);
        return route?.(request, url) ?? html("<h1>Not found</h1>", 404);
      },
    });
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  /** @param path with its leading slash */
  url(path: string): string {
    return `http://${this.#server.hostname}:${this.port}${path}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

export function html(
  text: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const type = { "Content-Type": "text/html; charset=utf-8" };
  return new Response(text, { status, headers: { ...type, ...headers } });
}

/** A page of about `count` × 65 characters. */
export function article(count = 10): string {
  return `<!DOCTYPE html><title>Article</title><h1>Article</h1>${paragraph.repeat(count)}`;
}

/** An answer whose head comes and whose end never does. */
export function endless(type: string, first = ""): Response {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(first || ": hi\n\n")),
  });
  return new Response(body, { headers: { "Content-Type": type } });
}
