import { engineIds } from "../base/search-engine-ids.ts";
import { type ConfigKey, pathValue } from "./value-types.ts";
import {
  engineListValue,
  engineUrlValue,
  hostListValue,
  keyTextValue,
  languageValue,
  regionValue,
} from "./web-value-types.ts";

/** Keys that no project's file may set: where requests go and which programs may be started. */
const userOnly = { project: "never", published: true } as const;

export const readDocsAllowHostsKey: ConfigKey<string> = {
  name: "READDOCS_ALLOW_HOSTS",
  type: hostListValue,
  help: "Hosts with private addresses that ReadDocs may read all the same, for instance localhost.",
  ...userOnly,
};

export const chromePathKey: ConfigKey<string> = {
  name: "CHROME_PATH",
  type: pathValue,
  help: "The Chrome, Chromium or Edge for ReadDocs. Default: the first one found.",
  project: "never",
  // Its bare name is one of several that other programs read as well: they are looked at together.
  published: false,
};

export const webSearchEnginesKey: ConfigKey<string> = {
  name: "WEBSEARCH_ENGINES",
  type: engineListValue,
  help: "The search engines to ask. Default: eleven, see the web search page.",
  ...userOnly,
};

export const webSearchLanguageKey: ConfigKey<string> = {
  name: "WEBSEARCH_LANGUAGE",
  type: languageValue,
  default: "en",
  help: "The preferred language for search results.",
  project: "set",
  published: true,
};

export const webSearchRegionKey: ConfigKey<string> = {
  name: "WEBSEARCH_REGION",
  type: regionValue,
  help: "The preferred country for search results. Default: none.",
  project: "set",
  published: true,
};

export const searxngUrlKey: ConfigKey<string> = {
  name: "SEARXNG_URL",
  type: engineUrlValue,
  help: "Your own SearXNG instance, queried besides the other engines.",
  ...userOnly,
};

export const marginaliaKeyKey: ConfigKey<string> = {
  name: "WEBSEARCH_MARGINALIA_KEY",
  type: keyTextValue,
  help: "Your own key for Marginalia Search. Default: the public one, which is often exhausted.",
  ...userOnly,
};

/** Another scheme, host and port for all requests of one engine. */
export const webSearchBaseKeys: ReadonlyMap<string, ConfigKey<string>> = new Map(
  engineIds
    .filter((id) => id !== "searxng")
    .map((id) => [
      id,
      {
        name: `WEBSEARCH_BASE_${id.toUpperCase()}`,
        type: engineUrlValue,
        help: `Where ${id} is reached instead of its own address: a mirror, or a test server.`,
        ...userOnly,
      },
    ]),
);

export const webKeys: readonly ConfigKey[] = [
  readDocsAllowHostsKey,
  chromePathKey,
  webSearchEnginesKey,
  webSearchLanguageKey,
  webSearchRegionKey,
  searxngUrlKey,
  marginaliaKeyKey,
  ...webSearchBaseKeys.values(),
];
