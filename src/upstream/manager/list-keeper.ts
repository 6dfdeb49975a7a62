import { rm } from "node:fs/promises";

import type { Environment } from "../../base/values.ts";
import { type CatalogueCache, cacheKeyOf } from "../cache/catalogue-cache.ts";
import {
  contentMarkOf,
  isCurrent,
  type KeptLists,
  type KeptSources,
  type KeptTool,
  printKeptLists,
  variableState,
} from "../cache/kept-lists.ts";
import { writePrivate } from "../cache/write-private.ts";
import type { UpstreamConfig } from "../config/server-entry.ts";
import type { Appearances } from "../config/watch-upstream-config.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { SearchState } from "./tool-search.ts";

/** The causes of the lists of this moment. */
export interface ListSources {
  readonly config: UpstreamConfig;
  readonly appearances: Appearances;
  /** Files of the cache, of the servers in the lists. */
  readonly catalogues: readonly string[];
}

/** Undefined while no list may be kept: the next start waits for a server of which nothing is known. */
export function listSourcesOf(
  applied: Pick<ListSources, "config" | "appearances"> | undefined,
  servers: readonly ManagedServer[],
  cache: Pick<CatalogueCache, "pathOf">,
): ListSources | undefined {
  if (applied === undefined || servers.some((server) => server.view().isUnknown)) return undefined;
  const heard = servers.filter(({ offer }) => offer.current !== undefined);
  const catalogues = heard.map(({ configured }) => cache.pathOf(cacheKeyOf(configured)));
  return { ...applied, catalogues };
}

/** Keeps the lists for the first list of the next start, each time when they are whole and have changed. */
export class ListKeeper implements AsyncDisposable {
  readonly #file: string | undefined;
  readonly #env: Environment;
  #kept: { readonly tools: readonly unknown[]; readonly rest: string } | undefined;
  #work: Promise<void> = Promise.resolve();

  /** @param file undefined: no later start reads it */
  constructor(file: string | undefined, env: Environment) {
    this.#file = file;
    this.#env = env;
  }

  /** Never throws. With a full disk the next start is slower. */
  keep({ snapshot, searched }: SearchState, given: ListSources): void {
    const file = this.#file;
    const { isLookedAt, isIncomplete, holdsLists, servers, ttlMs, isPrivate } = snapshot;
    if (file === undefined || !isLookedAt || isIncomplete || holdsLists) return;
    const sources = this.#sourcesOf(given);
    const states = servers.map(({ state }) => ({ state }));
    const rest = JSON.stringify([sources, states, ttlMs, isPrivate]);
    const tools = [...snapshot.tools.map(({ listing }) => listing), ...searched];
    if (rest === this.#kept?.rest && areSame(tools, this.#kept.tools)) return;
    // Another configuration is about to be read, which a later state follows from.
    if (!isCurrent(sources, this.#env)) return;
    this.#kept = { tools, rest };
    const lists: KeptLists = {
      tools: toolsOf({ snapshot, searched }),
      servers: states,
      ttlMs,
      isPrivate,
    };
    const text = printKeptLists(lists, sources);
    const write = (): Promise<void> =>
      text === undefined ? rm(file, { force: true }) : writePrivate(file, text);
    this.#work = this.#work.then(write).catch(() => {});
  }

  /** Resolves when everything is written. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#work;
  }

  #sourcesOf({ config, appearances, catalogues }: ListSources): KeptSources {
    const named = JSON.stringify([...config.servers]).matchAll(/\$\{([A-Za-z_]\w*)/g);
    const names = new Set([...named].map(([, name = ""]) => name));
    return {
      files: Object.fromEntries(appearances),
      catalogues: Object.fromEntries(catalogues.map((path) => [path, contentMarkOf(path)])),
      variables: Object.fromEntries(
        [...names].map((name) => [name, variableState(name, this.#env)]),
      ),
    };
  }
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

function toolsOf({ snapshot, searched }: SearchState): readonly KeptTool[] {
  const whole = new Map(searched.map(({ listing }) => [listing.name, listing]));
  return snapshot.tools.flatMap(({ name, listing: listed, isForApps }): KeptTool[] => {
    const listing = listed ?? whole.get(name);
    if (listing === undefined) return [];
    return [
      {
        listing,
        ...(isForApps && { isForApps }),
        ...(listed === undefined && { isHidden: true as const }),
      },
    ];
  });
}
