import { createDeferred } from "../../base/deferred.ts";
import { LastGoodFiles } from "../config/last-good-files.ts";
import { loadUpstreamConfig } from "../config/load-upstream-config.ts";
import type { UpstreamConfig } from "../config/server-entry.ts";
import { watchUpstreamConfig } from "../config/watch-upstream-config.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";

/** Reads the configuration and hands on each state of it, one after the other; the newest comes last (CN15, CN16). */
export class ConfigFollower {
  readonly #options: UpstreamOptions;
  readonly #apply: (config: UpstreamConfig) => Promise<void>;
  /** A file that cannot be used for the moment takes nothing away, a switch of the workspace or not. */
  readonly #lastGood = new LastGoodFiles();
  #unwatch: () => void = () => {};
  #newest: UpstreamConfig | undefined;
  #workspace: string | undefined;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** @param apply must not reject */
  constructor(options: UpstreamOptions, apply: (config: UpstreamConfig) => Promise<void>) {
    this.#options = options;
    this.#apply = apply;
  }

  /**
   * Follows the configuration with this workspace from now on. Resolves when it has been applied, or was replaced.
   * @throws whatever reading it throws
   */
  async follow(workspace: string | undefined): Promise<void> {
    if (this.#isClosed) return;
    this.#workspace = workspace;
    const parts = { ...this.#options, workspace, lastGood: this.#lastGood };
    const config = loadUpstreamConfig(parts);
    const watching = createDeferred<void>();
    this.#unwatch();
    this.#newest = config;
    const unwatch = watchUpstreamConfig(
      parts,
      (change) => {
        // What was noticed late is of a workspace that has been left.
        if (this.#unwatch === unwatch) void this.#next(change.config);
      },
      config,
      watching.resolve,
    );
    this.#unwatch = unwatch;
    // An approval that is given from here on is noticed, one that was given before is read.
    await watching.promise;
    if (this.#unwatch === unwatch) await this.#next(this.#newest);
  }

  /** The same workspace, in another project. */
  moved(): Promise<void> {
    return this.follow(this.#workspace);
  }

  /** Applies what is followed once more, since something else has changed that it depends on. */
  async again(): Promise<void> {
    if (this.#newest !== undefined) await this.#next(this.#newest);
  }

  close(): void {
    this.#isClosed = true;
    this.#unwatch();
  }

  #next(config: UpstreamConfig): Promise<void> {
    this.#newest = config;
    this.#work = this.#work.then(() => {
      // While another one was applied, a newer one may have come.
      return this.#isClosed || this.#newest !== config ? undefined : this.#apply(config);
    });
    return this.#work;
  }
}
