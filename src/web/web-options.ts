import type { BrowserOptions } from "./browser/browser-launcher.ts";
import type { SearchOptions } from "./search/engine.ts";

/** The settings of the web services, as plain data: they cross to their Worker. */
export interface WebOptions {
  readonly pages: PageOptions;
  readonly browser: BrowserOptions;
  readonly search: SearchOptions;
  /** The variables that name the user's proxy: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, in either case. */
  readonly proxyEnv: Readonly<Record<string, string>>;
}

interface PageOptions {
  /** Hosts that may be reached although their addresses are private (`READDOCS_ALLOW_HOSTS`), in lower case. */
  readonly allowHosts: readonly string[];
}
