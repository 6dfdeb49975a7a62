import type { UpstreamSnapshot } from "./snapshot.ts";

/** What is known where there are no other servers. */
export const emptySnapshot: UpstreamSnapshot = {
  revision: 0,
  servers: [],
  rights: [],
  tools: [],
  blocked: [],
  prompts: [],
  resources: [],
  templates: [],
  isDeferred: false,
  isLookedAt: true,
  isIncomplete: false,
  holdsLists: false,
  introductions: [],
  ttlMs: 60_000,
  isPrivate: false,
};

/** What is known while the Worker has said nothing yet: nobody can tell which servers there are. */
export const unheardSnapshot: UpstreamSnapshot = {
  ...emptySnapshot,
  isLookedAt: false,
  isIncomplete: true,
};
