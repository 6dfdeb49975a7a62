import { messageOf } from "../../base/errors.ts";
import { upstreamNoticesKept } from "../../base/upstream-limits.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import { configFace } from "../config/entry-launch.ts";
import { sharedNotices } from "../config/entry-options.ts";
import { loadUpstreamConfig } from "../config/load-upstream-config.ts";
import type { LastGoodFiles } from "../config/read-server-file.ts";
import type { Principals, ToolRule, UpstreamConfig } from "../config/server-entry.ts";
import { appearanceOf } from "../../base/file-appearance.ts";
import { type Appearances, watchUpstreamConfig } from "../config/watch-upstream-config.ts";
import { lockFileOf, type LockReading, readLock } from "../trust/lock/read-lock.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";
import type { UpstreamHost } from "../worker/upstream-work.ts";

export interface CurrentConfigParts {
  /** Its `dirs` are those of the current project. */
  readonly options: UpstreamOptions;
  readonly trust: Pick<TrustStore, "problem">;
  /** Called with each notice for the user; may repeat a text. */
  readonly onNotice: (text: string) => void;
  /** A different set of servers or entries is about to be applied. */
  readonly onOtherServers: () => void;
  /** Applies the configuration to the servers; all of them exist when it returns. */
  readonly apply: (config: UpstreamConfig) => Promise<void>;
}

/** A configuration, with the files that it follows from. */
interface ReadConfig {
  readonly config: UpstreamConfig;
  /** Before it was read. */
  readonly appearances: Appearances;
}

/** The effective configuration, the project's lock and the principals: follows them and applies changes. */
export class CurrentConfig {
  readonly follower: ConfigFollower;
  readonly #parts: CurrentConfigParts;
  readonly #configured = Promise.withResolvers<void>();
  /** Resolves when the servers of the configuration exist, even if nothing else is known yet. */
  readonly configured = this.#configured.promise;
  #config: UpstreamConfig | undefined;
  #applied: ReadConfig | undefined;
  /** The principals and clients that are served now. */
  #served: Pick<UpstreamOptions, "principals" | "apps">;
  #lock: LockReading = { kind: "absent" };

  constructor(parts: CurrentConfigParts) {
    this.#parts = parts;
    this.#served = parts.options;
    this.follower = new ConfigFollower(parts.options, (read) =>
      this.#apply(read).catch((error: unknown) => parts.onNotice(messageOf(error))),
    );
  }

  /** Globs outside of entries. */
  get rules(): readonly ToolRule[] {
    return this.#config?.rules ?? [];
  }

  /** The configuration that the servers follow from; undefined while another configuration is being applied. */
  get applied(): ReadConfig | undefined {
    return this.#applied;
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

  /** Reads the configuration; without a readable one there are no servers. Never rejects. */
  async start(): Promise<void> {
    try {
      await this.follower.follow();
    } catch (error) {
      this.#parts.onNotice(`MCP servers cannot be used: ${messageOf(error)}`);
    }
    this.#configured.resolve();
  }

  /** Serves several principals. Resolves when the shared connections have ended. */
  async serveSeveral(): Promise<void> {
    this.#served = { ...this.#served, principals: "several" };
    await this.follower.again();
  }

  /** A client shows the apps of servers. */
  showApps(apps: AppSupport): void {
    this.#served = { ...this.#served, apps };
  }

  async #apply({ config, appearances }: ReadConfig): Promise<void> {
    this.#applied = undefined;
    const { options, trust, onNotice, onOtherServers, apply } = this.#parts;
    // A different configuration ends earlier decisions (DF2); an approval is not a change of configuration.
    if (configFace(config) !== configFace(this.#config)) onOtherServers();
    this.#config = config;
    const { projectDir } = options.dirs;
    const lockFile = projectDir === undefined ? undefined : lockFileOf(projectDir);
    const lockSeen =
      lockFile === undefined ? [] : [[lockFile, await appearanceOf(lockFile)] as const];
    this.#lock = projectDir === undefined ? { kind: "absent" } : await readLock(projectDir);
    const problem = await trust.problem();
    const shared = sharedNotices(config, this.#served.principals);
    const { problems, notices } = config;
    for (const text of [...problems, ...notices, ...shared, problem ?? ""]) onNotice(text);
    const applied = apply(config);
    this.#configured.resolve();
    await applied;
    this.#applied = { config, appearances: new Map([...appearances, ...lockSeen]) };
  }
}

/** Reads the configuration and passes each version on, one after the other; the newest comes last (CN15, CN16). */
export class ConfigFollower implements Disposable {
  readonly #options: UpstreamOptions;
  readonly #apply: (read: ReadConfig) => Promise<void>;
  /** A file that is unusable for the moment removes no servers, even when the project changes. */
  readonly #lastGood: LastGoodFiles = new Map();
  #unwatch: () => void = () => {};
  #newest: ReadConfig | undefined;
  #work: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** @param apply must not reject */
  constructor(options: UpstreamOptions, apply: (read: ReadConfig) => Promise<void>) {
    this.#options = options;
    this.#apply = apply;
  }

  /**
   * Follows the configuration of the current project from now on. Resolves when it has been applied, or was replaced.
   * @throws errors of reading it
   */
  async follow(): Promise<void> {
    if (this.#isClosed) return;
    const parts = { ...this.#options, lastGood: this.#lastGood };
    const config = loadUpstreamConfig(parts);
    const watching = Promise.withResolvers<Appearances>();
    this.#unwatch();
    this.#newest = { config, appearances: new Map() };
    const unwatch = watchUpstreamConfig(
      parts,
      (change) => {
        // A late change belongs to a project that the client has left.
        if (this.#unwatch === unwatch) void this.#next(change);
      },
      config,
      watching.resolve,
    );
    this.#unwatch = unwatch;
    // The watch notices later approvals; earlier ones are read.
    const appearances = await watching.promise;
    // Replaced by a newer one where the files have changed before they were watched.
    if (this.#newest.config === config) this.#newest = { config, appearances };
    if (this.#unwatch === unwatch) await this.#next(this.#newest);
  }

  /** Applies the newest configuration again after another input has changed. */
  async again(): Promise<void> {
    if (this.#newest !== undefined) await this.#next(this.#newest);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#unwatch();
  }

  #next(read: ReadConfig): Promise<void> {
    this.#newest = read;
    this.#work = this.#work.then(() => {
      // A newer one may have arrived while another was applied.
      return this.#isClosed || this.#newest !== read ? undefined : this.#apply(read);
    });
    return this.#work;
  }
}

/** Notices for the user. */
export class Notices {
  readonly #host: Pick<UpstreamHost, "notify">;
  readonly #told = new Set<string>();

  constructor(host: Pick<UpstreamHost, "notify">) {
    this.#host = host;
  }

  /** Reports each text once, since files are read repeatedly. */
  readonly tell = (text: string): void => {
    if (text === "" || this.#told.has(text)) return;
    if (this.#told.size >= upstreamNoticesKept) this.#told.clear();
    this.#told.add(text);
    this.#host.notify({ kind: "notice", text });
  };
}
