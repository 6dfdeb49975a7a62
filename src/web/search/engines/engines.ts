import { benchEngineIds, defaultEngineIds } from "../../../base/search-engine-ids.ts";
import type { EngineId, SearchEngine } from "../engine.ts";
import { baidu } from "./baidu.ts";
import { bing } from "./bing.ts";
import { brave } from "./brave.ts";
import { duckduckgo } from "./duckduckgo.ts";
import { ecosia } from "./ecosia.ts";
import { google } from "./google.ts";
import { hackernews } from "./hackernews.ts";
import { marginalia } from "./marginalia.ts";
import { mojeek } from "./mojeek.ts";
import { mwmbl } from "./mwmbl.ts";
import { qwant } from "./qwant.ts";
import { searxng } from "./searxng.ts";
import { stackexchange } from "./stackexchange.ts";
import { startpage } from "./startpage.ts";
import { wikipedia } from "./wikipedia.ts";
import { yahoo } from "./yahoo.ts";
import { yandex } from "./yandex.ts";

const engines: Readonly<Record<EngineId, SearchEngine>> = {
  duckduckgo,
  brave,
  startpage,
  yahoo,
  bing,
  mojeek,
  google,
  yandex,
  qwant,
  wikipedia,
  mwmbl,
  stackexchange,
  hackernews,
  marginalia,
  ecosia,
  baidu,
  searxng,
};

/** The engines that are asked for every query, in the order of docs/spec/search.md#engines. */
export const defaultEngines: readonly SearchEngine[] = defaultEngineIds.map((id) => engines[id]);

/** The engines that replace a suspended default, in this order. */
export const benchEngines: readonly SearchEngine[] = benchEngineIds.map((id) => engines[id]);

export function engineOf(id: EngineId): SearchEngine {
  return engines[id];
}

/** @param name as a person wrote it in a setting or flag */
export function findEngine(name: string): SearchEngine | undefined {
  const id = name.trim().toLowerCase();
  return isEngineId(id) ? engines[id] : undefined;
}

function isEngineId(name: string): name is EngineId {
  return Object.hasOwn(engines, name);
}
