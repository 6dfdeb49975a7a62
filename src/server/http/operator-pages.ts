import { jsonResponse, refusal } from "./responses.ts";

export interface OperatorPagesParts {
  /** The figures in the text format of Prometheus. Never rejects. */
  readonly metrics: () => Promise<string>;
  /** The details as a JSON object. Never rejects. */
  readonly status: () => Promise<Readonly<Record<string, unknown>>>;
}

/** `/metrics` and `/status`, for requests that the caller has authorized. */
export class OperatorPages {
  readonly #parts: OperatorPagesParts;

  constructor(parts: OperatorPagesParts) {
    this.#parts = parts;
  }

  has(path: string): boolean {
    return path === "/metrics" || path === "/status";
  }

  async answer(path: string, { method }: Request): Promise<Response> {
    if (method !== "GET") return refusal(405, "Only GET is answered here.", { allow: "GET" });
    const { metrics, status } = this.#parts;
    if (path === "/status") return jsonResponse(JSON.stringify(await status(), null, 2), 200);
    return new Response(await metrics(), {
      headers: { "content-type": "text/plain; version=0.0.4" },
    });
  }
}
