import type {
  CallObserver,
  ObservedRequest,
  RefusedHttpRequest,
  RequestEnd,
} from "../calls/call-observer.ts";

/** Several observers as one, in their order. */
export class Observers implements CallObserver {
  readonly #all: readonly CallObserver[];

  constructor(all: readonly CallObserver[]) {
    this.#all = all;
  }

  refused(request: RefusedHttpRequest): void {
    for (const observer of this.#all) observer.refused(request);
  }

  began(request: ObservedRequest): void {
    for (const observer of this.#all) observer.began(request);
  }

  ended(request: ObservedRequest, end: RequestEnd): void {
    for (const observer of this.#all) observer.ended(request, end);
  }
}
