import { messageOf } from "../../base/errors.ts";
import { cacheKeyOf } from "../cache/write-private.ts";
import { redactCatalogue } from "../catalogue/redact-catalogue.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerCatalogue } from "../connect/connection.ts";
import type { JudgedCatalogue } from "../trust/judge-catalogue.ts";
import { FirstContact, judgeOffer } from "./first-contact.ts";
import type { ManagerParts } from "./manager-parts.ts";

/** What a server offers as it was last heard, and what of it may be used. */
export interface Offer {
  readonly catalogue: ServerCatalogue;
  readonly judged: JudgedCatalogue;
}

/** Keeps what one server offers: from the cache, then from the server, judged by what the user has approved. */
export class ServerOffer {
  readonly #parts: ManagerParts;
  readonly #onNotice: (text: string) => void;
  readonly #start: () => void;
  #offer: Offer | undefined;
  /** Of the offer, by their names there: each call looks several times. */
  #tools: ByName<JudgedCatalogue["tools"][number]> = new Map();
  #prompts: ByName<JudgedCatalogue["prompts"][number]> = new Map();
  #isCacheOld = false;
  #contact: FirstContact | undefined;
  /** One after the other: approvals are read and written on the way. */
  #work: Promise<void> = Promise.resolve();

  /**
   * @param onNotice told what was let through though it was not approved
   * @param start starts the server
   */
  constructor(parts: ManagerParts, onNotice: (text: string) => void, start: () => void) {
    this.#parts = parts;
    this.#onNotice = onNotice;
    this.#start = start;
  }

  get current(): Offer | undefined {
    return this.#offer;
  }

  /** A tool by its name there. */
  tool(name: string): JudgedCatalogue["tools"][number] | undefined {
    return this.#tools.get(name);
  }

  /** A prompt by its name there. */
  prompt(name: string): JudgedCatalogue["prompts"][number] | undefined {
    return this.#prompts.get(name);
  }

  /** Resolves when what was heard so far is written down, or could not be. */
  get written(): Promise<void> {
    return this.#work;
  }

  /** How it is found out what there is; undefined when an earlier run kept that. */
  get contact(): FirstContact | undefined {
    return this.#contact;
  }

  /** From an earlier run, and so old that the server should be asked. */
  get isOld(): boolean {
    return this.#isCacheOld || this.lacksApps;
  }

  /** It was asked for what it offers when nobody showed apps. */
  get lacksApps(): boolean {
    const offer = this.#offer;
    return (
      offer !== undefined && offer.catalogue.apps === undefined && this.#parts.apps() !== undefined
    );
  }

  /** Reads what an earlier run kept; where there is nothing, sees who is to find out. */
  load(configured: ConfiguredServer): Promise<void> {
    return this.#next(async () => {
      if (await this.#read(configured)) return;
      const { cache, linkTime, onChange } = this.#parts;
      const contact = new FirstContact(cacheKeyOf(configured), {
        trials: cache.trials,
        time: linkTime,
        look: () => this.#lookAgain(configured, contact),
        start: this.#start,
        onChange,
      });
      this.#contact = contact;
      // Whoever tried it may have kept something between our two looks.
      const isOurs = (await contact.claim()) === "ours";
      if (isOurs && (await this.#read(configured))) await contact.onHeard();
    });
  }

  /** The server has been asked. @param clean takes its secrets out of a text */
  take(
    configured: ConfiguredServer,
    read: ServerCatalogue,
    clean: (text: string) => string,
  ): Promise<void> {
    const catalogue = redactCatalogue(read, clean);
    return this.#next(async () => {
      this.#isCacheOld = false;
      await this.#judge(configured, catalogue);
      await this.#parts.cache.write(cacheKeyOf(configured), catalogue);
      await this.#contact?.onHeard();
    });
  }

  /** Rules or approvals have changed. */
  judgeAgain(configured: ConfiguredServer): Promise<void> {
    return this.#next(async () => {
      if (this.#offer !== undefined) await this.#judge(configured, this.#offer.catalogue);
    });
  }

  /** It may not be used any more, or is another one. */
  clear(): Promise<void> {
    return this.#next(async () => {
      this.#become(undefined);
      await this.#contact?.leave();
      this.#contact = undefined;
    });
  }

  /** True when there was something. */
  async #read(configured: ConfiguredServer): Promise<boolean> {
    const cached = await this.#parts.cache.read(cacheKeyOf(configured));
    if (cached === undefined) return false;
    this.#isCacheOld = cached.isOld;
    await this.#judge(configured, cached.catalogue);
    return true;
  }

  /** Another process may have kept something; what we heard ourselves is newer. */
  async #lookAgain(configured: ConfiguredServer, contact: FirstContact): Promise<boolean> {
    await this.#next(async () => {
      if (this.#contact === contact && this.#offer === undefined) await this.#read(configured);
    });
    return this.#offer !== undefined;
  }

  #next(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((error: unknown) => this.#onNotice(messageOf(error)));
    return this.#work;
  }

  async #judge(configured: ConfiguredServer, catalogue: ServerCatalogue): Promise<void> {
    const { entry, identity } = configured;
    const judged = await judgeOffer(configured, catalogue, this.#parts);
    this.#become({ catalogue, judged });
    // Before anything is written: it counts as ready from here on, and whoever searches must see what it has.
    this.#parts.onChange();
    for (const notice of judged.notices) this.#onNotice(notice);
    if (judged.newPins === undefined) return;
    try {
      await this.#parts.trust.addPins(identity, judged.newPins);
    } catch (error) {
      this.#onNotice(
        `What ${entry.name} offers could not be recorded as approved: ${messageOf(error)}`,
      );
    }
  }

  #become(offer: Offer | undefined): void {
    this.#offer = offer;
    this.#tools = byName(offer?.judged.tools ?? []);
    this.#prompts = byName(offer?.judged.prompts ?? []);
  }
}

type ByName<Judged> = ReadonlyMap<string, Judged>;

/** Of several of one name the first counts. */
function byName<Judged extends { readonly item: { readonly name: string } }>(
  all: readonly Judged[],
): ByName<Judged> {
  return new Map(all.toReversed().map((judged) => [judged.item.name, judged]));
}
