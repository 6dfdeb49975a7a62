import { IdTable } from "../../base/cancellation.ts";
import type { Principal } from "../auth/principal.ts";
import type { InFlight } from "../connection/active-request.ts";
import type { TokenStateOf } from "./sse-stream.ts";

interface OpenRequest {
  readonly request: Request;
  readonly principal: Principal;
  readonly inFlight: InFlight;
  /** `old` at the second look at it, when its signal is listened to. */
  state: "new" | "seen" | "old";
}

const lookMs = 20;

/**
 * Modern requests under way: when the client of one goes, its work is cancelled (docs/spec/modern.md#endpoint). A cheap call is
 * over long before its client could go, and the signal that reports it costs 1 µs of the 20 that the call takes. So
 * only requests still there after 20 to 40 ms get one; it also reports clients that went before.
 */
export class OpenRequests {
  readonly #requests = new IdTable<OpenRequest>();
  #isLookDue = false;

  get size(): number {
    return this.#requests.size;
  }

  /** Its number, for `delete`. */
  add(request: Request, principal: Principal, inFlight: InFlight): number {
    this.#lookLater();
    return this.#requests.add({ request, principal, inFlight, state: "new" });
  }

  /** False when it was not there. */
  delete(number: number): boolean {
    return this.#requests.delete(number);
  }

  all(): InFlight[] {
    return this.#requests.values().map(({ inFlight }) => inFlight);
  }

  /** Cancels what withdrawn tokens began; those that expired lose what has no end by itself. */
  review(tokenStateOf: TokenStateOf): void {
    for (const { principal, inFlight } of this.#requests.values()) {
      const state = tokenStateOf(principal);
      if (state === "withdrawn") inFlight.cancelAll();
      else if (state === "expired") inFlight.endSubscriptions();
    }
  }

  #lookLater(): void {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    setTimeout(() => this.#look(), lookMs).unref();
  }

  #look(): void {
    this.#isLookDue = false;
    for (const open of this.#requests.values()) {
      switch (open.state) {
        case "new":
          open.state = "seen";
          this.#lookLater();
          break;
        case "seen":
          open.state = "old";
          listen(open);
          break;
        case "old":
          break;
      }
    }
  }
}

function listen({ request: { signal }, inFlight }: OpenRequest): void {
  if (signal.aborted) inFlight.cancelAll();
  else signal.addEventListener("abort", () => inFlight.cancelAll(), { once: true });
}
