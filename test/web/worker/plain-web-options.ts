import type { WebOptions } from "../../../src/web/web.ts";

/** Options with nothing set but the hosts that are allowed. */
export function plainWebOptions(...allowHosts: string[]): WebOptions {
  return {
    pages: { allowHosts },
    browser: { chosenPath: undefined, homeDir: "/", env: {}, instanceId: "x.0", profilesDir: "/" },
    search: {
      engines: undefined,
      baseUrls: {},
      searxngUrl: undefined,
      language: "en",
      region: undefined,
      marginaliaKey: undefined,
      storePath: ":memory:",
    },
    proxyEnv: {},
  };
}
