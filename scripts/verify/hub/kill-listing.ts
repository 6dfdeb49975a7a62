import type { Server } from "../../../test/e2e/harness/server.ts";
import { listedTools, messageOf } from "./hub-clients.ts";

const gapMs = 100;

/** Asks every client for its list all the time: no list may be shorter than the whole. */
export class Listing {
  readonly #whole: number;
  readonly #faults = new Set<string>();
  readonly #looks: Promise<unknown>;
  /** For messages: when it began. */
  readonly #at = performance.now();
  #isStopped = false;

  constructor(clients: readonly Server[], whole: number) {
    this.#whole = whole;
    this.#looks = Promise.all(clients.map((client) => this.#look(client)));
  }

  /** @returns what was wrong */
  async stop(): Promise<readonly string[]> {
    this.#isStopped = true;
    await this.#looks;
    return [...this.#faults];
  }

  async #look(client: Server): Promise<void> {
    while (!this.#isStopped) {
      try {
        const { length } = await listedTools(client);
        if (length >= this.#whole) continue;
        const ms = (performance.now() - this.#at).toFixed(0);
        this.#faults.add(`a list of ${length} tools, of ${this.#whole}, after ${ms} ms`);
      } catch (error) {
        this.#faults.add(messageOf(error));
      } finally {
        await Bun.sleep(gapMs);
      }
    }
  }
}
