import type { CallObserver } from "../../calls/call-observer.ts";
import type { RequestOrigin } from "../connection/replies.ts";

interface WatchedOrigin extends RequestOrigin {
  principal: string | undefined;
  tool: string | undefined;
}

/**
 * Watches HTTP requests for observers: where each came from, and which of them were refused before they reached a method. Made only
 * where there are observers.
 */
export class RequestWatch {
  readonly #observer: CallObserver;
  readonly #addressOf: (request: Request) => string | undefined;
  readonly #origins = new WeakMap<Request, WatchedOrigin>();

  constructor(observer: CallObserver, addressOf: (request: Request) => string | undefined) {
    this.#observer = observer;
    this.#addressOf = addressOf;
  }

  /** The response of `answer`, after a refusal was reported to the observers. */
  around(
    request: Request,
    answer: () => Response | Promise<Response>,
  ): Response | Promise<Response> {
    this.#origins.set(request, {
      address: this.#addressOf(request),
      traceparent: request.headers.get("traceparent") ?? undefined,
      isReceived: false,
      principal: undefined,
      tool: undefined,
    });
    const response = answer();
    if (!(response instanceof Promise)) return this.#seen(request, response);
    return response.then((settled) => this.#seen(request, settled));
  }

  originOf(request: Request): RequestOrigin | undefined {
    return this.#origins.get(request);
  }

  /** The request speaks for this principal. */
  notePrincipal(request: Request, principal: string): void {
    const origin = this.#origins.get(request);
    if (origin !== undefined) origin.principal = principal;
  }

  /** It asks for this tool, which the principal may not use. */
  noteTool(request: Request, tool: string): void {
    const origin = this.#origins.get(request);
    if (origin !== undefined) origin.tool = tool;
  }

  #seen(request: Request, response: Response): Response {
    const origin = this.#origins.get(request);
    if (response.status < 400 || origin === undefined || origin.isReceived) return response;
    const { address, principal, tool } = origin;
    this.#observer.refused({ status: response.status, address, principal, tool });
    return response;
  }
}
