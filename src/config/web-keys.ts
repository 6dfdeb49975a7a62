import { benchEngineIds, defaultEngineIds, engineIds } from "../base/search-engine-ids.ts";
import { type ConfigKey, listParts, pathValue, type ValueType } from "./value-types.ts";

/** Names and addresses without scheme, port or wildcard, so that only named hosts are allowed. */
const hostListValue: ValueType<string> = {
  name: "host list",
  allowed: "host names or addresses with commas between, without scheme, port or wildcard",
  parse(text) {
    // Made only here: its classes are an eighth of a millisecond that a start without such a list need not spend.
    const hostExpression =
      /^(?:[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?\.?|\[[0-9a-f:.]+\])$/iu;
    const hosts = listParts(text);
    if (!hosts.every((host) => hostExpression.test(host))) return undefined;
    return hosts.map((host) => host.toLowerCase()).join(",");
  },
};

const listedEngines: readonly string[] = [...defaultEngineIds, ...benchEngineIds];

const engineListValue: ValueType<string> = {
  name: "engine list",
  get allowed() {
    return `names with commas between, of: ${listedEngines.join(", ")}`;
  },
  parse(text) {
    const engines = listParts(text.toLowerCase());
    const isList = engines.length > 0 && engines.every((engine) => listedEngines.includes(engine));
    return isList ? [...new Set(engines)].join(",") : undefined;
  },
};

/** `https:` anywhere, `http:` to this machine only: queries do not cross a network unencrypted. */
const engineUrlValue: ValueType<string> = {
  name: "URL",
  allowed: "an https: URL, or an http: one to 127.0.0.0/8, [::1] or localhost, without credentials",
  parse(text) {
    if (text === "") return "";
    const url = URL.parse(text);
    if (url === null || url.username !== "" || url.password !== "") return undefined;
    if (url.protocol === "https:") return url.href;
    return url.protocol === "http:" && isLoopback(url.hostname) ? url.href : undefined;
  },
};

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);
}

const languageValue: ValueType<string> = {
  name: "language",
  allowed: "a language code of two or three letters, for instance en",
  parse: (text) => (/^[a-z]{2,3}$/i.test(text) ? text.toLowerCase() : undefined),
};

const regionValue: ValueType<string> = {
  name: "region",
  allowed: "a country code of two letters, for instance US, or empty",
  parse: (text) => (/^(?:[a-z]{2})?$/i.test(text) ? text.toUpperCase() : undefined),
};

const keyTextValue: ValueType<string> = {
  name: "text",
  allowed: "at most 200 letters, digits and - _ . characters",
  parse: (text) => (/^[\w.-]{0,200}$/.test(text) ? text : undefined),
};

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
