import { setTimeout as sleep } from "node:timers/promises";

import { upstreamResumeMsMin } from "../../base/upstream-limits.ts";
import type { createGuardedFetch } from "./guarded-fetch.ts";

type Fetch = ReturnType<typeof createGuardedFetch>;

/** What nobody waits for would wait for ever at a server that is silent, and there are only so many connections. */
export function withPatience(inner: Fetch, postMsMax: number): Fetch {
  return (url, init = {}) => {
    if (init.method !== "POST") return inner(url, init);
    const signals = [AbortSignal.timeout(postMsMax), ...(init.signal ? [init.signal] : [])];
    return inner(url, { ...init, signal: AbortSignal.any(signals) });
  };
}

/** A server that ends its stream at once, and says that we are to come back at once, is not asked thousands of times a second. */
export function withPauses(inner: Fetch): Fetch {
  let nextAt = 0;
  return async (url, init = {}) => {
    if (init.method !== "GET") return inner(url, init);
    const waitMs = nextAt - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, init.signal ? { signal: init.signal } : {});
    nextAt = performance.now() + upstreamResumeMsMin;
    return inner(url, init);
  };
}
