import { messageOf } from "../../base/errors.ts";
import { cacheKeyOf } from "../cache/catalogue-cache.ts";
import { redactCatalogue } from "../catalogue/redact-catalogue.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerCatalogue } from "../connect/connection.ts";
import type { JudgedCatalogue } from "../trust/judge-catalogue.ts";
import { FirstContact, judgeOffer } from "./first-contact.ts";
import type { ManagerParts } from "./manager-parts.ts";

/** The last known offer of a server, judged by approvals and rules. */
export interface Offer {
  readonly catalogue: ServerCatalogue;
  readonly judged: JudgedCatalogue;
}

/** Keeps the offer of one server: from the cache, then from the server, judged by the user's approvals. */
export class ServerOffer {
  readonly #parts: ManagerParts;
  readonly #onNotice: (text: string) => void;
  readonly #start: () => void;
  #offer: Offer | undefined;
  /** By their names on the server: each call looks them up several times. */
  #tools: ByName<JudgedCatalogue["tools"][number]> = new Map();
  #prompts: ByName<JudgedCatalogue["prompts"][number]> = new Map();
  #isCacheOld = false;
  #contact: FirstContact | undefined;
  /** Runs one after the other, because each step reads and writes approvals. */
  #work: Promise<void> = Promise.resolve();

  /**
   * @param onNotice called with notices, such as tools that were accepted without an approval
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

  /** A tool by its name on the server. */
  tool(name: string): JudgedCatalogue["tools"][number] | undefined {
    return this.#tools.get(name);
  }

  /** A prompt by its name on the server. */
  prompt(name: string): JudgedCatalogue["prompts"][number] | undefined {
    return this.#prompts.get(name);
  }

  /** Resolves when the offer so far was written to the cache, or could not be. */
  get written(): Promise<void> {
    return this.#work;
  }

  /** The first contact with the server; undefined when an earlier run cached its offer. */
  get contact(): FirstContact | undefined {
    return this.#contact;
  }

  /** The offer is from an earlier run and so old that the server should be asked again. */
  get isOld(): boolean {
    return this.#isCacheOld || this.lacksApps;
  }

  /** The offer was read when no client showed apps. */
  get lacksApps(): boolean {
    const offer = this.#offer;
    return (
      offer !== undefined && offer.catalogue.apps === undefined && this.#parts.apps() !== undefined
    );
  }

  /** Reads the cache of earlier runs; without one, decides which process asks the server. */
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
      // The other process may have cached a catalogue between the two checks.
      const isOurs = (await contact.claim()) === "ours";
      if (isOurs && (await this.#read(configured))) await contact.onHeard();
    });
  }

  /** Takes a catalogue that was read from the server. @param clean removes its secrets from a text */
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

  /** The server must no longer be used, or its launch has changed. */
  clear(): Promise<void> {
    return this.#next(async () => {
      this.#become(undefined);
      await this.#contact?.leave();
      this.#contact = undefined;
    });
  }

  /** Reads the cache; true when it has an offer. */
  async #read(configured: ConfiguredServer): Promise<boolean> {
    const cached = await this.#parts.cache.read(cacheKeyOf(configured));
    if (cached === undefined) return false;
    this.#isCacheOld = cached.isOld;
    await this.#judge(configured, cached.catalogue);
    return true;
  }

  /** Reads what another process cached, unless this process already has a newer offer. */
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
    // Before the writes below: the server is ready from here on, and searches must find its tools.
    this.#parts.onChange();
    for (const notice of judged.notices) this.#onNotice(notice);
    if (judged.newPins === undefined) return;
    try {
      await this.#parts.trust.addPins(identity, judged.newPins);
    } catch (error) {
      this.#onNotice(
        `The offer of ${entry.name} could not be recorded as approved: ${messageOf(error)}`,
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

/** By name; the first of several with one name is used. */
function byName<Judged extends { readonly item: { readonly name: string } }>(
  all: readonly Judged[],
): ByName<Judged> {
  return new Map(all.toReversed().map((judged) => [judged.item.name, judged]));
}
