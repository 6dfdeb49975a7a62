import { classifyMessage } from "../../protocol/message.ts";
import type { Principal } from "../auth/principal.ts";
import { isAcceptable } from "../transport/http/header-rules.ts";
import { type BodyBounds, type BodyReading, readBody } from "../transport/http/read-body.ts";
import { decideEra } from "../transport/http/version-header.ts";
import type { LegacyHttp } from "./legacy-http.ts";
import type { ModernHttp } from "./modern-http.ts";
import { refuseBody, type RefuseMessage, faultResponse, refusal } from "./responses.ts";

/** One POST: body → message → era → the side of the server that answers it. */
export class McpPost {
  readonly #modern: ModernHttp;
  readonly #legacy: LegacyHttp;
  readonly #refuse: RefuseMessage;
  readonly #bounds: BodyBounds;
  readonly #answering = new Set<Promise<Response>>();

  constructor(modern: ModernHttp, legacy: LegacyHttp, refuse: RefuseMessage, bounds: BodyBounds) {
    this.#modern = modern;
    this.#legacy = legacy;
    this.#refuse = refuse;
    this.#bounds = bounds;
  }

  answer(request: Request, principal: Principal): Response | Promise<Response> {
    if (!isAcceptable(request.headers.get("accept"))) {
      return refusal(406, "Accept must take application/json and text/event-stream.");
    }
    return readBody(request, principal.id, this.#bounds).then((body) =>
      body.kind === "refused" ? refuseBody(body) : this.#answer(request, principal, body),
    );
  }

  #answer(
    request: Request,
    principal: Principal,
    body: Extract<BodyReading, { kind: "value" }>,
  ): Response | Promise<Response> {
    const message = classifyMessage(body.value);
    const refused = this.#refuse(message, principal, request);
    if (refused !== undefined) return refused;
    const header = request.headers.get("mcp-protocol-version") ?? undefined;
    const era = decideEra({ header, message });
    switch (era.kind) {
      case "modern":
        return this.#modern.answer(request, principal, message);
      case "legacy":
        return this.#noted(this.#legacy.post(request, principal, message));
      case "refused":
        return faultResponse(era.status, era.fault, era.id);
    }
  }

  /** Resolves when each message that was let in has its response: its session may have to be found at other replicas first. */
  async settled(): Promise<void> {
    while (this.#answering.size > 0) await Promise.allSettled(this.#answering);
  }

  #noted(response: Response | Promise<Response>): Response | Promise<Response> {
    if (!(response instanceof Promise)) return response;
    const noted = response.finally(() => this.#answering.delete(noted));
    this.#answering.add(noted);
    return noted;
  }
}
