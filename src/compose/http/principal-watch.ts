import type { Authorization, Authorizer, IncomingRequest } from "../../server/auth/authorizer.ts";
import type { Principal } from "../../server/auth/principal.ts";
import type { PrincipalAdmission } from "../../server/http/http-endpoint.ts";

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
  readonly #authorizer: Pick<Authorizer, "authorize" | "principalsWith">;
  readonly #separating: Separating;
  /** There are several, and everybody knows. */
  #isTold: boolean;
  #waiting: Promise<unknown> | undefined;
  #here: Promise<unknown> | undefined;

  constructor(
    authorizer: Pick<Authorizer, "authorize" | "principalsWith">,
    separating: Separating,
  ) {
    this.#authorizer = authorizer;
    this.#separating = separating;
    this.#isTold = authorizer.principalsWith() === "several";
    // Nothing is shared, and what runs is to go on.
    if (this.#isTold) this.#here = Promise.resolve();
  }

  authorize(request: IncomingRequest): Authorization | Promise<Authorization> {
    const answer = this.#authorizer.authorize(request);
    this.#look();
    const waiting = this.#waiting;
    return waiting === undefined ? answer : waiting.then(() => answer);
  }

  admit({ id }: Principal): Promise<unknown> | undefined {
    this.#look(id);
    return this.#waiting;
  }

  separate(): Promise<unknown> {
    this.#isTold = true;
    this.#here ??= this.#wait(this.#separating.here());
    return this.#here;
  }

  /** @param id of a principal that another replica has let in */
  #look(id?: string): void {
    if (this.#isTold || this.#authorizer.principalsWith(id) !== "several") return;
    void this.#wait(Promise.all([this.separate(), this.#separating.elsewhere()]));
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
