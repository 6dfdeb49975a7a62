import { messageOf } from "../../base/errors.ts";
import { refusal } from "./oauth-refusal.ts";

const path = "/callback";

/** Waits on this machine for the browser to come back from a login. */
export class RedirectListener implements Disposable {
  readonly #server: Bun.Server<undefined>;
  readonly #answer = Promise.withResolvers<URLSearchParams>();
  /** Set before the browser is sent away. */
  #isMeant: (answer: URLSearchParams) => boolean = () => false;
  #isDone = false;

  /**
   * @param port undefined: any that is free
   * @throws AppError `refused` when the port is in use
   */
  static open(port: number | undefined): RedirectListener {
    try {
      return new RedirectListener(port ?? 0);
    } catch (error) {
      throw refusal(
        `The login needs the port ${port ?? "of its own"} on this machine, which cannot be had: ${messageOf(error)}.`,
      );
    }
  }

  private constructor(port: number) {
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port,
      // A page that is left open holds its connection.
      idleTimeout: 10,
      fetch: (request) => this.#take(request),
    });
  }

  get redirectUri(): string {
    return `http://127.0.0.1:${this.#server.port}${path}`;
  }

  /** What the browser brings with the right `state`; anything else that comes is turned away. */
  answer(isMeant: (answer: URLSearchParams) => boolean): Promise<URLSearchParams> {
    this.#isMeant = isMeant;
    return this.#answer.promise;
  }

  [Symbol.dispose](): void {
    this.#isDone = true;
    // What is being answered is answered.
    void this.#server.stop();
  }

  #take(request: Request): Response {
    const url = new URL(request.url);
    const isOurs = request.headers.get("host") === `127.0.0.1:${this.#server.port}`;
    if (this.#isDone || request.method !== "GET" || url.pathname !== path || !isOurs) {
      return page(404, "There is nothing here.");
    }
    if (!this.#isMeant(url.searchParams)) {
      return page(400, "This does not belong to a login that is under way.");
    }
    this.#isDone = true;
    this.#answer.resolve(url.searchParams);
    const isError = url.searchParams.has("error");
    return page(200, isError ? "The login was refused." : "The login has come back.");
  }
}

/** No text of a request is in it. */
function page(status: number, text: string): Response {
  const html = `<!doctype html><meta charset="utf-8"><title>scorpiox-code</title><p>${text} You can close this page and go back to scorpiox-code.</p>`;
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  };
  return new Response(html, { status, headers });
}
