import { timingSafeEqual } from "node:crypto";

import type { Principal } from "./principal.ts";
import { digestToken } from "./token-digest.ts";
import type { KnownToken } from "./token-list.ts";

/** Where the tokens come from; asked for each request. */
export interface TokenSource {
  current(): readonly KnownToken[];
}

/** Tokens that are compared as they are. How long a comparison takes tells nothing about any of them. */
export class StaticTokens {
  #list: readonly KnownToken[] = [];
  /** Of the list. */
  #lines: ReadonlySet<string> = new Set();
  /** The principals that were ever found; a list that is read again has new ones. */
  readonly #lineOf = new WeakMap<Principal, string>();

  /** Also those whose line is gone by now: what they have stored may still be there. */
  readonly #principals = new Set<string>();

  constructor(private readonly source: TokenSource) {
    this.#current();
  }

  /** How many principals there were so far. */
  get principalCount(): number {
    return this.#principals.size;
  }

  /** The principal of the token; undefined for an unknown one. The whole list is always walked. */
  find(token: string): Principal | undefined {
    const digest = digestToken(token);
    let found: Principal | undefined;
    for (const known of this.#current())
      if (timingSafeEqual(known.digest, digest)) found = known.principal;
    return found;
  }

  /** Whether the token that `principal` was found by is still among them, with the same label. */
  includes(principal: Principal): boolean {
    this.#current();
    const line = this.#lineOf.get(principal);
    return line !== undefined && this.#lines.has(line);
  }

  #current(): readonly KnownToken[] {
    const list = this.source.current();
    if (list === this.#list) return list;
    this.#list = list;
    this.#lines = new Set(list.map(lineOf));
    for (const known of list) {
      this.#lineOf.set(known.principal, lineOf(known));
      this.#principals.add(known.principal.id);
    }
    return list;
  }
}

function lineOf({ principal, digest }: KnownToken): string {
  return `${principal.id} ${digest.toString()}`;
}
