import type { ConfiguredServer } from "../config/server-entry.ts";

/**
 * Under which name it is kept what a server offers. That may depend on what it may ask of clients: with other rights in its
 * entry it is asked anew.
 */
export function cacheKeyOf({ entry, identity }: ConfiguredServer): string {
  const { sampling, elicitation, roots } = entry.options;
  const rights = { sampling, elicitation, ...(roots === undefined ? {} : { roots }) };
  if (JSON.stringify(rights) === usualRights) return identity;
  return `${identity}-${Bun.hash(JSON.stringify(rights)).toString(36)}`;
}

const usualRights = JSON.stringify({ sampling: "deny", elicitation: "ask" });
