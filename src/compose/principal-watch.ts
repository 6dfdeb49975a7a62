import type { Authorization, Authorizer, IncomingRequest } from "../server/auth/authorizer.ts";
import type { Principal } from "../server/auth/principal.ts";
import type { PrincipalAdmission } from "../server/http/http-endpoint.ts";

/** How what one principal has used is kept from a second one. */
interface Separating {
  readonly here: () => Promise<unknown>;
  /** At the other replicas of a fleet. */
  readonly elsewhere: () => Promise<unknown> | undefined;
}

/**
 * Lets requests in, and ensures that nothing that one principal has used or runs is there for a second: the first request of
 * the second waits until that is done.
 */
export class PrincipalWatch implements PrincipalAdmission {
  readonly #authorizer: Authorizer;
  readonly #separating: Separating;
  /** There are several, and everybody knows. */
  #isTold: boolean;
  #waiting: Promise<unknown> | undefined;
  #here: Promise<unknown> | undefined;
  /** The id of the principal of which requests came from other replicas. */
  #relayed: string | undefined;

  constructor(authorizer: Authorizer, separating: Separating) {
    this.#authorizer = authorizer;
    this.#separating = separating;
    this.#isTold = authorizer.principals === "several";
  }

  authorize(request: IncomingRequest): Authorization | Promise<Authorization> {
    const answer = this.#authorizer.authorize(request);
    if (!this.#isTold && this.#authorizer.principals === "several") this.#tell();
    const waiting = this.#waiting;
    return waiting === undefined ? answer : waiting.then(() => answer);
  }

  admit({ id }: Principal): Promise<unknown> | undefined {
    this.#relayed ??= id;
    const areSeveral = id !== this.#relayed || this.#authorizer.principals === "several";
    if (!this.#isTold && areSeveral) this.#tell();
    return this.#waiting;
  }

  separate(): Promise<unknown> {
    this.#isTold = true;
    this.#here ??= this.#wait(this.#separating.here());
    return this.#here;
  }

  #tell(): void {
    const here = this.separate();
    void this.#wait(Promise.all([here, this.#separating.elsewhere()]));
  }

  /** It fails with the Worker of the servers alone, whose connections end with it. */
  #wait(work: Promise<unknown>): Promise<unknown> {
    const done = (): void => {
      if (this.#waiting === waiting) this.#waiting = undefined;
    };
    const waiting = work.then(done, done);
    this.#waiting = waiting;
    return waiting;
  }
}
