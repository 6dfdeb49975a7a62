import { messageOf } from "../../base/errors.ts";
import { createDeferred } from "../../base/shared-work.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import { configFace } from "../config/entry-launch.ts";
import { sharedNotices } from "../config/isolation.ts";
import { loadUpstreamConfig } from "../config/load-upstream-config.ts";
import { LastGoodFiles } from "../config/read-server-file.ts";
import type { Principals, ToolRule, UpstreamConfig } from "../config/server-entry.ts";
import { watchUpstreamConfig } from "../config/watch-upstream-config.ts";
import { type LockReading, readLock } from "../trust/lock/read-lock.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";

export interface CurrentConfigParts {
  /** Its `dirs` are those of the present project. */
  readonly options: UpstreamOptions;
  readonly trust: Pick<TrustStore, "problem">;
  /** Told each time what the user should know; the same text comes again. */
  readonly onNotice: (text: string) => void;
  /** Other servers, or the same with other entries, are about to be applied. */
  readonly onOtherServers: () => void;
  /** Brings the servers to what the configuration says: all of them are there when it returns. */
  readonly apply: (config: UpstreamConfig) => Promise<void>;
}

/** The configuration that counts now, with the project's lock and who is served: followed, and applied when it changes. */
export class CurrentConfig {
  readonly follower: ConfigFollower;
  readonly #parts: CurrentConfigParts;
  readonly #configured = createDeferred<void>();
  #isConfigured = false;
  /** Resolves when the servers of the configuration are there, whatever is known of them. */
  readonly configured = this.#configured.promise;
  #config: UpstreamConfig | undefined;
  /** Who is served, as it is now. */
  #served: Pick<UpstreamOptions, "principals" | "apps">;
  #lock: LockReading = { kind: "absent" };

  constructor(parts: CurrentConfigParts) {
    this.#parts = parts;
    this.#served = parts.options;
    this.follower = new ConfigFollower(parts.options, (config) =>
      this.#apply(config).catch((error: unknown) => parts.onNotice(messageOf(error))),
    );
  }

  get isConfigured(): boolean {
    return this.#isConfigured;
  }

  /** Globs outside of entries. */
  get rules(): readonly ToolRule[] {
    return this.#config?.rules ?? [];
  }

  /** The project's `mcp.lock` as it was last read. */
  get lock(): LockReading {
    return this.#lock;
  }

  get principals(): Principals {
    return this.#served.principals;
  }

  get apps(): AppSupport | undefined {
    return this.#served.apps;
  }

  /** Where it cannot be read there are no servers. Never rejects. */
  async start(): Promise<void> {
    try {
      await this.follower.follow(this.#parts.options.workspace);
    } catch (error) {
      this.#parts.onNotice(`Other MCP servers cannot be used: ${messageOf(error)}`);
    }
    this.#onConfigured();
  }

  /** Resolves when the connections that all shared have ended. */
  async serveSeveral(): Promise<void> {
    this.#served = { ...this.#served, principals: "several" };
    await this.follower.again();
  }

  /** Some client shows the apps of servers. */
  showApps(apps: AppSupport): void {
    this.#served = { ...this.#served, apps };
  }

  async #apply(config: UpstreamConfig): Promise<void> {
    const { options, trust, onNotice, onOtherServers, apply } = this.#parts;
    // What was decided by another configuration does not hold (DF2); an approval is none.
    if (configFace(config) !== configFace(this.#config)) onOtherServers();
    this.#config = config;
    const { projectDir } = options.dirs;
    this.#lock = projectDir === undefined ? { kind: "absent" } : await readLock(projectDir);
    const problem = await trust.problem();
    const shared = sharedNotices(config, this.#served.principals);
    const { problems, notices } = config;
    for (const text of [...problems, ...notices, ...shared, problem ?? ""]) onNotice(text);
    const applied = apply(config);
    this.#onConfigured();
    await applied;
  }

  #onConfigured(): void {
    this.#isConfigured = true;
    this.#configured.resolve();
  }
}

/** Reads the configuration and hands on each state of it, one after the other; the newest comes last (CN15, CN16). */
export class ConfigFollower implements Disposable {
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

  [Symbol.dispose](): void {
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
