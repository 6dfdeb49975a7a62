/** What the web services need to know, as plain data: it crosses to their Worker. */
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

export interface BrowserOptions {
  /** The user's choice (`CHROME_PATH` and its kin), and where it was made; undefined = look for one. */
  readonly chosenPath: { readonly path: string; readonly setting: string } | undefined;
  readonly homeDir: string;
  /** Environment of the browser process: no secrets of ours. */
  readonly env: Readonly<Record<string, string>>;
  /** `SCORPIOX_OWNER` of this process, so that the guardian finds a browser that was left behind. */
  readonly instanceId: string;
  /** Private folder (0700) in which profiles are made. */
  readonly profilesDir: string;
}

export interface SearchOptions {
  /** Ids in the order of the contract (`WEBSEARCH_ENGINES`); undefined = the eleven defaults. */
  readonly engines: readonly string[] | undefined;
  /** `WEBSEARCH_BASE_<ENGINE>` by engine id. */
  readonly baseUrls: Readonly<Record<string, string>>;
  readonly searxngUrl: string | undefined;
  /** BCP 47 language and ISO 3166 region, for instance `en` and `US`. */
  readonly language: string;
  readonly region: string | undefined;
  readonly marginaliaKey: string | undefined;
  /** The store in which suspensions are kept. */
  readonly storePath: string;
}
