import { messageOf } from "../../base/errors.ts";
import { cleanText } from "../adapters/text-of.ts";
import { cacheKeyOf } from "../cache/catalogue-cache.ts";
import type { ServerView } from "../catalogue/compose-tools.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerInfo } from "../server-state.ts";
import { conditionOf, type ServerFacts, serverInfo } from "../status/server-info.ts";
import { type ServerPermission, permissionOf } from "../status/server-permission.ts";
import { CallFigures, CircuitBreaker } from "./call-figures.ts";
import { LaunchTarget } from "./launch-target.ts";
import type { ConnectionListener } from "./connection-pool.ts";
import type { ManagerParts, ServerEvents } from "./manager-parts.ts";
import { ConnectionSets } from "./connection-sets.ts";
import type { ServerConnections } from "./server-connections.ts";
import { withUserLogins } from "./principal-login.ts";
import { ServerLog } from "./server-log.ts";
import { ListReader, ServerOffer } from "./server-offer.ts";
import { viewOf } from "./server-view.ts";

/** One server of the configuration: its permission to run, its connections, and its offer. */
export class ManagedServer implements AsyncDisposable {
  readonly figures = new CallFigures();
  readonly breaker = new CircuitBreaker();
  readonly #parts: ManagerParts;
  readonly #events: ServerEvents;
  readonly offer: ServerOffer;
  readonly reader: ListReader;
  #configured: ConfiguredServer;
  /** Undefined until configuration and approvals have been checked. */
  #permission: ServerPermission | undefined;
  readonly #looked = Promise.withResolvers<void>();
  #isLookedAt = false;
  #sets: ConnectionSets | undefined;
  #listProblem: string | undefined;
  /** Removes secrets of the last launch from a text; also used for texts that arrive after its end. */
  #clean: (text: string) => string = cleanText;
  readonly log: ServerLog;
  #isClosed = false;

  constructor(configured: ConfiguredServer, parts: ManagerParts, events: ServerEvents) {
    this.#configured = configured;
    this.#parts = parts;
    this.#events = events;
    this.log = new ServerLog(parts.host, configured.entry.name, this.clean);
    this.offer = new ServerOffer(parts, this.log.say, () => this.#want());
    this.reader = new ListReader({
      onRead: async (catalogue) => {
        this.#listProblem = undefined;
        await this.offer.take(this.configured, catalogue, this.clean);
        this.main?.onListsRead();
        this.#parts.onChange();
      },
      onFailure: (reason) => {
        this.#listProblem = reason;
        this.#parts.onChange();
      },
      use: () => this.main?.primary?.use() ?? (() => {}),
    });
  }

  get name(): string {
    return this.#configured.entry.name;
  }

  /** The effective entry. */
  get configured(): ConfiguredServer {
    return this.#permission?.kind === "usable" ? this.#permission.active : this.#configured;
  }

  get permission(): ServerPermission | undefined {
    return this.#permission;
  }

  /** Resolves when it is known whether it may be used; undefined once it is. */
  get looked(): Promise<void> | undefined {
    return this.#isLookedAt ? undefined : this.#looked.promise;
  }

  /** The connections whose lists are used. */
  get main(): ServerConnections | undefined {
    return this.#sets?.main;
  }

  /** All its connections; undefined while it may not be used. */
  get sets(): ConnectionSets | undefined {
    return this.#sets;
  }

  /** Text of the server without control sequences and secrets. */
  readonly clean = (text: string): string => this.#clean(text);

  /** Checks configuration and approvals, and applies the result. Never rejects. */
  async apply(configured: ConfiguredServer): Promise<void> {
    this.#configured = configured;
    const before = this.#permission;
    const permission = await permissionOf(configured, this.#parts)
      .then((found) => withUserLogins(found, this.#parts))
      .catch((error: unknown): ServerPermission => {
        return { kind: "needs_config", text: messageOf(error) };
      });
    if (this.#isClosed) return;
    this.#permission = permission;
    if (permission.kind !== "usable") {
      await Promise.all([this.#endConnections(), this.offer.clear()]);
      return this.#parts.onChange();
    }
    const { active, launch, secrets } = permission;
    const isSame = before?.kind === "usable" && cacheKeyOf(before.active) === cacheKeyOf(active);
    // Tools of another launch, or of the same with other rights, must not be called on this one.
    if (!isSame) await this.offer.clear();
    const target = LaunchTarget.of(active, launch, secrets, this.#parts);
    const loaded = isSame || this.#sets !== undefined ? undefined : this.#loadEarly(active);
    await this.#aim(await target);
    await (isSame ? this.offer.judgeAgain(active) : (loaded ?? this.offer.load(active)));
    this.#parts.onChange();
  }

  /**
   * Shows the offer of earlier runs while the target is still being found out: a login shell takes its time. Only where no
   * connection of another launch could be called with it.
   */
  async #loadEarly(active: ConfiguredServer): Promise<void> {
    await this.offer.load(active);
    if (!this.#isClosed) this.#parts.onChange();
  }

  /** An entry has been applied: starts the server when its offer cannot be known otherwise. */
  begin(): void {
    this.#isLookedAt = true;
    this.#looked.resolve();
    if (this.#permission?.kind !== "usable" || this.#isClosed) return;
    const isEager = this.#permission.active.entry.options.start === "eager";
    if (this.offer.current === undefined) this.offer.contact?.begin(isEager);
    else if (isEager || this.offer.isOld) this.#want();
  }

  /** A client shows the apps of servers now: the server may offer more. */
  showApps(): void {
    const isTold = this.main?.target.servesSeveral !== true;
    if (isTold && this.offer.current?.catalogue.era === "modern") this.reader.onChanged();
    else this.#sets?.show(this.#parts.apps());
    if (this.offer.lacksApps) this.#want();
  }

  /** Connects at the user's request and forgets earlier failures. */
  connect(): void {
    if (this.#permission?.kind !== "usable") return;
    const connection = this.main?.forLists();
    connection?.reset();
    connection?.want();
    this.#parts.onChange();
  }

  /** The server is no longer configured, or the Worker ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#endConnections(), this.offer.contact?.leave(), this.offer.written]);
  }

  info(): ServerInfo {
    const info = serverInfo(this.#facts());
    return { ...info, reason: info.reason === null ? null : this.log.reasonText(info.reason) };
  }

  view(): ServerView {
    const { configured, offer, permission, main } = this;
    return viewOf({ configured, offer, permission, target: main?.target, info: this.info() });
  }

  #facts(): ServerFacts {
    const connection = this.main?.primary;
    return {
      configured: this.configured,
      permission: this.#permission,
      connection: connection?.state,
      offer: this.offer.current,
      listProblem: this.#listProblem,
      trouble: this.breaker.trouble(performance.now()),
      pid: connection?.live?.pid,
      starts: this.main?.starts ?? 0,
      startedAs: connection?.preparation.startedAs,
      isolation: connection === undefined ? undefined : this.main?.target.sharing,
      figures: this.figures.facts(),
      retryInMs: connection?.retryInMs,
      dropped: this.log.dropped,
      stderr: this.main?.stderr() ?? [],
    };
  }

  /** Ends the connections when the launch or the credentials differ; connections in common stay (CN15). */
  async #aim(target: LaunchTarget): Promise<void> {
    if (this.#sets?.retarget(target) === true) return;
    await this.#endConnections();
    if (this.#isClosed) return;
    this.#listProblem = undefined;
    this.#clean = target.clean;
    this.#sets = new ConnectionSets(target, this.#parts, this.#listener(), () => {
      return this.offer.current?.catalogue.era;
    });
  }

  #want(): void {
    if (!this.#isClosed) this.main?.forLists().want();
  }

  async #endConnections(): Promise<void> {
    const sets = this.#sets;
    this.#sets = undefined;
    this.reader.end();
    await sets?.stop();
  }

  #listener(): ConnectionListener {
    return {
      onState: (isNoted) => this.#onState(isNoted),
      onBegun: () => this.offer.contact?.onBegun(),
      onConnected: (connection) => {
        this.breaker.onAnswer();
        this.reader.begin(connection);
        this.#events.onConnected(this.name);
      },
      onListChanged: () => this.reader.onChanged(),
      onResourceUpdated: (uri) => this.#events.onResourceUpdated(this.name, uri),
      onManners: (isSeparate) => this.#onManners(isSeparate),
      onLog: this.log.onLog,
      onStray: this.log.onStray,
    };
  }

  /** The next clients know it from their beginning. */
  #onManners(isSeparate: boolean): void {
    void this.#parts.cache.noteManners(cacheKeyOf(this.configured), { asks: true, isSeparate });
    if (isSeparate) this.#sets?.separate();
  }

  #onState(isNoted: boolean): void {
    const facts = this.#facts();
    const kind = facts.connection?.kind;
    if (kind !== "ready" && kind !== "starting") this.reader.end();
    if (kind === "down") {
      void this.offer.contact?.onFailed();
      const text = this.log.reasonText(conditionOf(facts).reason ?? "");
      if (isNoted) this.log.say(text);
      const isLogin = facts.connection?.kind === "down" && facts.connection.as === "needs_auth";
      this.#events.onDown(this.name, isLogin ? "needs_auth" : "unreachable", text);
    }
    this.#parts.onChange();
  }
}
