import type { RequestGuard } from "../transport/http/request-guard.ts";
import type { Readiness } from "./readiness.ts";

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
