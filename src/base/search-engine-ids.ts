/** Search engines that are asked for every query, in the fixed order that also breaks ties. */
export const defaultEngineIds = [
  "duckduckgo",
  "brave",
  "startpage",
  "yahoo",
  "bing",
  "mojeek",
  "google",
  "yandex",
  "qwant",
  "wikipedia",
  "mwmbl",
] as const;

/** Engines that take the place of a suspended one, in this order. */
export const benchEngineIds = [
  "stackexchange",
  "hackernews",
  "marginalia",
  "ecosia",
  "baidu",
] as const;

/** An instance that the user runs: asked besides the others, when it is configured. */
const ownEngineIds = ["searxng"] as const;

/** All of them, in the order of docs/spec/search.md#engines. */
export const engineIds = [...defaultEngineIds, ...benchEngineIds, ...ownEngineIds] as const;

export type EngineId = (typeof engineIds)[number];
