import { startTimer, type Timer } from "../../base/cancellation.ts";
import { messageOf } from "../../base/errors.ts";
import {
  upstreamFailedProbeMs,
  upstreamFirstLookMs,
  upstreamRelistMs,
} from "../../base/upstream-limits.ts";
import { cacheKeyOf } from "../cache/catalogue-cache.ts";
import { redactCatalogue } from "../catalogue/redact-catalogue.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerCatalogue, UpstreamConnection } from "../connect/connection.ts";
import { type ForeignSkill, skillIn } from "../connect/foreign-skill.ts";
import type { SkillsOfServer } from "../results/shape-contents.ts";
import { judgeOffer, type Offer } from "../status/judge-offer.ts";
import type { JudgedCatalogue } from "../trust/judge-catalogue.ts";
import { FirstContact } from "./first-contact.ts";
import type { ManagerParts } from "./manager-parts.ts";

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

  /** The skills that the server has listed, against which their files are checked. */
  get skills(): SkillsOfServer {
    const judged = this.#offer?.judged.prompts ?? [];
    const skills = (isApproved: boolean): readonly ForeignSkill[] =>
      judged.flatMap((one) =>
        (one.state === "approved") === isApproved ? (skillIn(one.item) ?? []) : [],
      );
    return { approved: skills(true), others: skills(false) };
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
      const { cache, connectionTime, onChange } = this.#parts;
      const contact = new FirstContact(cacheKeyOf(configured), {
        trials: cache.trials,
        time: connectionTime,
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

interface ListReaderParts {
  readonly onRead: (catalogue: ServerCatalogue) => Promise<void>;
  /** Called when the lists could not be read; they are read again later. */
  readonly onFailure: (reason: string) => void;
  /** Marks the connection as in use until the returned function is called: reading may take longer than it may idle. */
  readonly use: () => () => void;
  /** The longest wait of a call for the first reading. */
  readonly firstLookMs?: number;
}

/** Reads the lists of a server with each connection and when it reports changes, twice a second at most (CN14). */
export class ListReader {
  readonly #parts: ListReaderParts;
  #connection: UpstreamConnection | undefined;
  #isReading = false;
  #isStale = false;
  #timer: Timer | undefined;
  #ended = new AbortController();
  /** The first reading of the current connection, while it runs. */
  #first: Promise<void> | undefined;

  constructor(parts: ListReaderParts) {
    this.#parts = parts;
  }

  /** Begins with a new connection. */
  begin(connection: UpstreamConnection): void {
    this.end();
    this.#ended = new AbortController();
    this.#connection = connection;
    const over = Promise.withResolvers<void>();
    const timer = startTimer(this.#parts.firstLookMs ?? upstreamFirstLookMs, over.resolve);
    void this.#read(connection, this.#ended.signal).then(over.resolve);
    this.#first = over.promise.then(() => {
      timer.stop();
      if (connection === this.#connection) this.#first = undefined;
    });
  }

  /**
   * Resolves when the lists of a new connection have been read, or do not arrive in time; undefined when there is no
   * need to wait.
   */
  firstReading(connection: UpstreamConnection): Promise<void> | undefined {
    return connection === this.#connection ? this.#first : undefined;
  }

  /** The connection is gone. */
  end(): void {
    this.#ended.abort();
    this.#timer?.stop();
    this.#timer = undefined;
    this.#connection = undefined;
    this.#first = undefined;
    this.#isReading = false;
    this.#isStale = false;
  }

  /** The server reported a changed list. */
  onChanged(): void {
    this.#isStale = true;
    this.#plan(upstreamRelistMs);
  }

  #plan(ms: number): void {
    const connection = this.#connection;
    const { signal } = this.#ended;
    if (connection === undefined || this.#isReading || this.#timer !== undefined) return;
    this.#timer = startTimer(ms, () => {
      this.#timer = undefined;
      void this.#read(connection, signal);
    });
  }

  async #read(connection: UpstreamConnection, ended: AbortSignal): Promise<void> {
    this.#isReading = true;
    this.#isStale = false;
    let hasFailed = false;
    const endUse = this.#parts.use();
    try {
      // Takes a minute at most, and returns the lists read by then (CN5).
      const catalogue = await connection.readCatalogue(ended);
      if (ended.aborted) return;
      await this.#parts.onRead(catalogue);
    } catch (error) {
      if (ended.aborted) return;
      hasFailed = true;
      this.#parts.onFailure(messageOf(error));
    } finally {
      endUse();
    }
    if (ended.aborted) return;
    this.#isReading = false;
    if (this.#isStale) this.#plan(upstreamRelistMs);
    else if (hasFailed) this.#plan(upstreamFailedProbeMs);
  }
}
