import { readFile, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";

import { catalogueFileBytesMax, catalogueFreshMsMax } from "../../base/upstream-limits.ts";
import { isObject, jsonOrNothing } from "../../base/values.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerCatalogue } from "../connect/connection.ts";
import { LaunchTrials } from "./launch-trials.ts";
import { removeStaleDrafts, writePrivate } from "./write-private.ts";

export interface CachedCatalogue {
  readonly catalogue: ServerCatalogue;
  /** So old that its server is asked again before a client needs it. */
  readonly isOld: boolean;
}

/** How a server has treated its clients so far. */
export interface ServerManners {
  /** It asks its client in messages that do not say for which call. */
  readonly asks: boolean;
  /** Clients cannot share it: they waited for each other too long, or questions could not be assigned to one of them. */
  readonly isSeparate: boolean;
}

const usualManners: ServerManners = { asks: false, isSeparate: false };

/**
 * The catalogues of servers as of their last connection, by launch identity, so that their tools are listed without
 * starting them (CN2). Each is one private file, replaced as a whole; a file that cannot be used is treated as missing.
 */
export class CatalogueCache {
  readonly #dir: string;
  /** Trials of launches without a catalogue. */
  readonly trials: LaunchTrials;
  /** Hashes of the texts that this process last read or wrote: an unchanged catalogue is not written again. */
  readonly #known = new Map<string, number | bigint>();

  readonly #manners = new Map<string, ServerManners>();
  #sweep: Promise<void> | undefined;

  /** @param scorpioxDir `~/.scorpiox` */
  constructor(scorpioxDir: string) {
    this.#dir = join(scorpioxDir, "cache", "mcp");
    this.trials = new LaunchTrials(this.#dir);
  }

  /** Undefined when no usable catalogue exists. Never rejects. */
  async read(identity: string): Promise<CachedCatalogue | undefined> {
    try {
      const path = this.pathOf(identity);
      const info = await stat(path);
      const isOurs = process.getuid === undefined || info.uid === process.getuid();
      if (!info.isFile() || !isOurs || info.size > catalogueFileBytesMax) return undefined;
      const text = await readFile(path, "utf8");
      const catalogue = parseCatalogue(text);
      if (catalogue === undefined) return undefined;
      this.#known.set(identity, Bun.hash(text));
      return { catalogue, isOld: Date.now() - info.mtimeMs > catalogueFreshMsMax };
    } catch {
      return undefined;
    }
  }

  /** Keeps the catalogue, unless it is too large. A full disk only makes the next start slower. Never rejects. */
  async write(identity: string, catalogue: ServerCatalogue): Promise<void> {
    const text = printCatalogue(catalogue);
    if (Buffer.byteLength(text) > catalogueFileBytesMax) return this.forget(identity);
    const digest = Bun.hash(text);
    try {
      if (this.#known.get(identity) === digest && (await this.#touch(identity))) return;
      await writePrivate(this.pathOf(identity), text);
      this.#known.set(identity, digest);
      this.#sweep ??= removeStaleDrafts(this.#dir);
      await this.#sweep;
    } catch {
      this.#known.delete(identity);
    }
  }

  /** How a server has treated its clients in earlier connections. Never rejects. */
  async manners(identity: string): Promise<ServerManners> {
    const known = this.#manners.get(identity);
    if (known !== undefined) return known;
    const manners = await readManners(this.#mannersPathOf(identity));
    return this.#manners.get(identity) ?? manners;
  }

  /** Keeps what was seen of a server; it is not unlearned until the catalogue is forgotten. Never rejects. */
  async noteManners(identity: string, seen: ServerManners): Promise<void> {
    const before = await this.manners(identity);
    const manners = {
      asks: before.asks || seen.asks,
      isSeparate: before.isSeparate || seen.isSeparate,
    };
    if (manners.asks === before.asks && manners.isSeparate === before.isSeparate) return;
    this.#manners.set(identity, manners);
    await writePrivate(this.#mannersPathOf(identity), JSON.stringify(manners)).catch(() => {});
  }

  /** Forgets the catalogue, as before the first connection. Never rejects. */
  async forget(identity: string): Promise<void> {
    this.#known.delete(identity);
    this.#manners.delete(identity);
    await rm(this.#mannersPathOf(identity), { force: true }).catch(() => {});
    await rm(this.pathOf(identity), { force: true }).catch(() => {});
  }

  /** Marks the file as fresh. False when another process has removed it. */
  async #touch(identity: string): Promise<boolean> {
    const now = new Date();
    return utimes(this.pathOf(identity), now, now).then(
      () => true,
      () => false,
    );
  }

  /** The file of that catalogue. */
  pathOf(identity: string): string {
    return join(this.#dir, `${identity.replaceAll(/[^0-9a-z]/gi, "_")}.json`);
  }

  #mannersPathOf(identity: string): string {
    return this.pathOf(identity).replace(/\.json$/, ".manners");
  }
}

async function readManners(path: string): Promise<ServerManners> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (!isObject(value)) return usualManners;
    return { asks: value.asks === true, isSeparate: value.isSeparate === true };
  } catch {
    return usualManners;
  }
}

/** Version of the format; a file of another version is not read. */
const catalogueVersion = 1;

function printCatalogue(catalogue: ServerCatalogue): string {
  return JSON.stringify({ version: catalogueVersion, catalogue });
}

/** Undefined when the file is of another version, truncated, or edited so that it cannot be used. */
function parseCatalogue(text: string): ServerCatalogue | undefined {
  const value = jsonOrNothing(text);
  if (!isObject(value) || value.version !== catalogueVersion) return undefined;
  return isCatalogue(value.catalogue) ? value.catalogue : undefined;
}

/** Whether each member has the right type; absent ones are undefined. `apps` is kept as it was written. */
const memberChecks: Readonly<
  Record<Exclude<keyof ServerCatalogue, "apps">, (value: unknown) => boolean>
> = {
  era: (era) => era === "legacy" || era === "modern",
  protocolVersion: isText,
  serverInfo: (info) =>
    info === undefined || (isObject(info) && isText(info.name) && isText(info.version)),
  capabilities: isObject,
  instructions: (instructions) => isMaybe(instructions, "string"),
  tools: (tools) =>
    isListOf(tools, ({ name, inputSchema }) => isText(name) && isObject(inputSchema)),
  prompts: (prompts) => isListOf(prompts, ({ name }) => isText(name)),
  resources: (resources) => isListOf(resources, ({ uri, name }) => isText(uri) && isText(name)),
  templates: (templates) =>
    isListOf(templates, ({ uriTemplate, name }) => isText(uriTemplate) && isText(name)),
  ttlMs: (ttlMs) => isMaybe(ttlMs, "number"),
  isPrivate: (isPrivate) => typeof isPrivate === "boolean",
  problems: (problems) => Array.isArray(problems) && problems.every(isText),
};

function isCatalogue(value: unknown): value is ServerCatalogue {
  if (!isObject(value)) return false;
  return Object.entries(memberChecks).every(([member, isRight]) => isRight(value[member]));
}

function isListOf(value: unknown, isItem: (item: Params) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isObject(item) && isItem(item));
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isMaybe(value: unknown, type: "string" | "number"): boolean {
  return value === undefined || typeof value === type;
}

/**
 * The key under which a server's catalogue is cached. A catalogue may depend on the rights that the entry gives the
 * server, so other rights have another key.
 */
export function cacheKeyOf({ entry, identity }: ConfiguredServer): string {
  const { sampling, elicitation, roots } = entry.options;
  const rights = { sampling, elicitation, ...(roots === undefined ? {} : { roots }) };
  if (JSON.stringify(rights) === usualRights) return identity;
  return `${identity}-${Bun.hash(JSON.stringify(rights)).toString(36)}`;
}

const usualRights = JSON.stringify({ sampling: "deny", elicitation: "ask" });
