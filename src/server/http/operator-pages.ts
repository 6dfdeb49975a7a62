import type { RequestGuard } from "../transport/http/request-guard.ts";
import { jsonResponse, refusal } from "./responses.ts";

/** The answer of `/readyz`. */
type ReadyWord = "ready" | "degraded" | "draining";

/** Collects what parts of the server say about themselves. A part that has said nothing is well. */
export class Readiness {
  readonly #parts = new Map<string, boolean>();
  #isDraining = false;

  get word(): ReadyWord {
    if (this.#isDraining) return "draining";
    for (const isWell of this.#parts.values()) if (!isWell) return "degraded";
    return "ready";
  }

  /** The parts that have said anything, by name: whether each is well. */
  get parts(): Readonly<Record<string, boolean>> {
    return Object.fromEntries(this.#parts);
  }

  /**
   * The state of a part without which own tools go on, such as an engine.
   * @param name shown to the operator
   */
  report(name: string, isWell: boolean): void {
    this.#parts.set(name, isWell);
  }

  /** From now on there is no new work, whatever the parts say. */
  drain(): void {
    this.#isDraining = true;
  }
}

export interface HealthParts {
  readonly readiness: Readiness;
  /** Lets through what probes send, which know the machine by its address. */
  readonly guard: RequestGuard;
  /** Degraded is not ready (503). */
  readonly isStrict: boolean;
  /** Has the parts that change unnoticed looked at again. Must not wait. */
  readonly look?: (() => void) | undefined;
}

/** `/healthz` and `/readyz`: one word each, for everybody who can reach the server, with or without a token. */
export class Health {
  readonly #parts: HealthParts;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** Undefined for another path. */
  answer(path: string, request: Request): Response | undefined {
    if (path === "/healthz") return this.#guarded(request, () => new Response("ok\n"));
    if (path === "/readyz") return this.#guarded(request, () => this.#ready());
    return undefined;
  }

  #guarded(request: Request, answer: () => Response): Response {
    return this.#parts.guard.check(request) ?? answer();
  }

  #ready(): Response {
    const { readiness, isStrict, look } = this.#parts;
    look?.();
    const { word } = readiness;
    const isReady = word === "ready" || (word === "degraded" && !isStrict);
    return new Response(`${word}\n`, { status: isReady ? 200 : 503 });
  }
}

interface OperatorPagesParts {
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
