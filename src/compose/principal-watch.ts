import type { Authorization, AuthorizationRequest, Authorizer } from "../server/auth/authorizer.ts";

/**
 * Lets requests in, and sees to it that what one principal has used is not shared when there is a second: the first
 * request after that waits until it is so.
 */
export class PrincipalWatch {
  readonly #authorizer: Authorizer;
  readonly #onSeveral: () => Promise<unknown>;
  #isTold: boolean;
  #telling: Promise<unknown> | undefined;

  /** @param onSeveral told once, unless there are several from the start */
  constructor(authorizer: Authorizer, onSeveral: () => Promise<unknown>) {
    this.#authorizer = authorizer;
    this.#onSeveral = onSeveral;
    this.#isTold = authorizer.principals === "several";
  }

  authorize(request: AuthorizationRequest): Authorization | Promise<Authorization> {
    const answer = this.#authorizer.authorize(request);
    if (!this.#isTold && this.#authorizer.principals === "several") this.#tell();
    const telling = this.#telling;
    return telling === undefined ? answer : telling.then(() => answer);
  }

  #tell(): void {
    this.#isTold = true;
    const done = (): void => {
      this.#telling = undefined;
    };
    // It fails with the Worker of the servers alone, whose connections end with it.
    this.#telling = this.#onSeveral().then(done, done);
  }
}
