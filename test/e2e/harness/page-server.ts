/** A web site on this machine for pages that are asked for through the program. */
export class PageServer implements AsyncDisposable {
  /** Requests by path. */
  readonly hits = new Map<string, number>();
  /** Paths whose request was given up by the client. */
  readonly givenUp: string[] = [];
  /** Most requests that were open at the same time. */
  openMax = 0;
  #open = 0;
  readonly #gate = Promise.withResolvers<void>();
  readonly #server: Bun.Server<undefined>;

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: (request) => this.#answer(request),
    });
  }

  get origin(): string {
    return this.#server.url.origin;
  }

  /** What makes a server under test reach this one. */
  get env(): Record<string, string> {
    return { SCORPIOX_READDOCS_ALLOW_HOSTS: "127.0.0.1" };
  }

  /** Lets the pages below `/gated` be answered. */
  open(): void {
    this.#gate.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gate.resolve();
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    this.hits.set(pathname, (this.hits.get(pathname) ?? 0) + 1);
    request.signal.addEventListener("abort", () => this.givenUp.push(pathname));
    this.#open += 1;
    this.openMax = Math.max(this.openMax, this.#open);
    try {
      if (pathname.startsWith("/gated")) await this.#gate.promise;
      if (pathname.startsWith("/never")) await new Promise(() => {});
      return pageFor(pathname);
    } finally {
      this.#open -= 1;
    }
  }
}

/** Words enough for a browser not to wait for more: fewer may be a frame that is about to be filled. */
const enoughWords = " and more words".repeat(10);

function pageFor(path: string): Response {
  if (path.endsWith(".txt")) return new Response(`page ${path}`);
  const script = `document.body.textContent = "rendered " + ${JSON.stringify(path + enoughWords)}`;
  const html = path.startsWith("/script")
    ? `<!doctype html><title>s</title><body><script>${script}</script>`
    : `<!doctype html><title>t</title><p>page ${path}`;
  return new Response(html, { headers: { "Content-Type": "text/html" } });
}
