import { cancelledError } from "../../base/errors.ts";
import { handshakeMsMax, type ShownClient } from "./admission.ts";
import { ensureHubFolder, HubFault, type HubPlace, noHubOnWindows } from "./hub-place.ts";
import type { HubLink, HubLinkHandlers } from "./hub-link.ts";
import { readRecord } from "./hub-lock.ts";
import type { HubStart } from "./start-hub.ts";
import { endStuckHub, SilentHub } from "./take-over.ts";
import { type Visit, visitHub } from "./visit-hub.ts";

export interface ReachOptions extends ShownClient {
  readonly handlers: HubLinkHandlers;
  /** Ends the wait; what was begun for others goes on. */
  readonly signal: AbortSignal;
  /** How to start a hub where there is none; absent: this process never starts one. */
  readonly start?: HubStart;
  /**
   * The generation of a hub that this process has just given up because it answered nothing. It is not waited for as long as one
   * of which nothing is known.
   */
  readonly silent?: number;
}

/** A link with the hub that it leads to. */
export interface ReachedHub {
  readonly link: HubLink;
  readonly pid: number;
  readonly generation: number;
}

/** A hub refuses for reasons that do not change; but between two of them, a visitor may see halves of both. */
const refusalsMax = 2;
/** Between two attempts; it varies, so that processes that wait for each other do not keep step. */
const retryMs = { min: 5, spread: 15 };
/** A hub that was given up already gets this long for another handshake. */
const secondChanceMs = 1_000;

/**
 * Reaches the hub of a place, and has one started where there is none. Undefined when there is none and this process may not start
 * one. A hub or an election that is slow is waited for.
 * @throws HubFault when there is a definite reason that there is no hub for this process
 * @throws AppError `cancelled` when `signal` aborts
 */
export async function reachHub(
  place: HubPlace,
  options: ReachOptions,
): Promise<ReachedHub | undefined> {
  if (process.platform === "win32") throw new HubFault(noHubOnWindows);
  const { signal, start } = options;
  const search = new Search(place, options);
  for (;;) {
    if (signal.aborted) throw cancelledError();
    const visit = await search.visit();
    if (visit.kind === "admitted") {
      const { link, record } = visit;
      if (!signal.aborted) return { link, pid: record.pid, generation: record.generation };
      link.close();
      continue;
    }
    if (start === undefined) return undefined;
    const isThere = await search.elect(start, () => !signal.aborted);
    if (!isThere) await Bun.sleep(retryMs.min + Math.random() * retryMs.spread);
  }
}

/** One process in search of its hub. */
class Search {
  readonly #place: HubPlace;
  readonly #options: ReachOptions;
  #refusals = 0;
  /** Since when no hub listens, of which the last that was there had that generation. */
  #absent: { readonly generation: number; readonly since: number } | undefined;
  #silent: SilentHub | undefined;
  #hasFolder = false;

  constructor(place: HubPlace, options: ReachOptions) {
    this.#place = place;
    this.#options = options;
  }

  async visit(): Promise<Visit> {
    const { silent, start: _, ...options } = this.#options;
    const isGivenUp = silent !== undefined && readRecord(this.#place)?.generation === silent;
    const msMax = isGivenUp ? secondChanceMs : handshakeMsMax;
    const visit = await visitHub(this.#place, { ...options, msMax });
    this.#count(visit);
    if (visit.kind === "refused" && ++this.#refusals >= refusalsMax) {
      throw new HubFault(`the hub refused this process: ${visit.reason}`);
    }
    if (visit.kind === "silent" && this.#silent?.generation !== visit.record.generation) {
      this.#silent = new SilentHub(visit.record, isGivenUp);
    } else if (visit.kind !== "silent") this.#silent = undefined;
    return visit;
  }

  /** Each generation has its own time to come up. */
  #count({ kind }: Visit): void {
    const generation = readRecord(this.#place)?.generation ?? 0;
    const isSame = kind === "absent" && this.#absent?.generation === generation;
    if (isSame) return;
    this.#absent = kind === "absent" ? { generation, since: performance.now() } : undefined;
  }

  /** @see electHub */
  async elect(start: HubStart, isWanted: () => boolean): Promise<boolean> {
    // Most clients find a hub.
    const { electHub, startMsMax } = await import("./start-hub.ts");
    const { since = Infinity } = this.#absent ?? {};
    const { msMax = startMsMax } = start;
    if (performance.now() - since > msMax) {
      await endStuckHub(this.#place);
      throw new HubFault(`no hub listened within ${msMax / 1000} s`);
    }
    if (!this.#hasFolder) await ensureHubFolder(this.#place);
    this.#hasFolder = true;
    return electHub(this.#place, start, this.#silent, isWanted);
  }
}
