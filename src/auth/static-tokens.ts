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
  constructor(private readonly source: TokenSource) {}

  /** Whom the token stands for; undefined when it is none of ours. The whole list is always walked. */
  find(token: string): Principal | undefined {
    const digest = digestToken(token);
    let found: Principal | undefined;
    for (const known of this.source.current())
      if (timingSafeEqual(known.digest, digest)) found = known.principal;
    return found;
  }
}
