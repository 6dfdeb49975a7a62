import { type Principal, rightsOf } from "../../server/auth/principal.ts";

/** Principals that are remembered: each token of each principal is one. */
const rememberedMax = 10_000;

/** The principals of requests that arrived at other replicas, each the same object as long as it is the same. */
export class RelayedPrincipals {
  readonly #known = new Map<string, Principal>();
  readonly #all = new WeakSet<Principal>();

  /** One object for principals with equal rights: what is kept of a principal hangs on it. */
  known(principal: Principal): Principal {
    const key = rightsOf(principal);
    const known = this.#known.get(key) ?? principal;
    this.#known.delete(key);
    this.#known.set(key, known);
    this.#all.add(known);
    const [longest] = this.#known.keys();
    if (this.#known.size > rememberedMax && longest !== undefined) this.#known.delete(longest);
    return known;
  }

  has(principal: Principal): boolean {
    return this.#all.has(principal);
  }
}
