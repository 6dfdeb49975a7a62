import { type Abortable, Cancellation, signalOf, orAborted } from "../../base/cancellation.ts";
import { ownValue } from "../../base/values.ts";
import type { JsonText } from "../../base/weight.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { ServerInfo } from "../server-state.ts";
import type {
  ClientPlace,
  ControlReplyTo,
  SearchQuery,
  UpstreamCall,
  UpstreamCallEvents,
  UpstreamControl,
  UpstreamReply,
} from "../upstreams.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";
import type { UpstreamWork, UpstreamHost } from "../worker/upstream-work.ts";
import { absentFailure, argumentsFault } from "./call-checks.ts";
import { Composer, Publisher } from "./composer.ts";
import { listSourcesOf } from "./list-keeper.ts";
import { CurrentConfig, Notices } from "./current-config.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { performControl } from "./perform-control.ts";
import { callServer } from "./server-call.ts";
import { ServerSet } from "./server-set.ts";
import { ownStatus, StatusFile } from "../status/server-status.ts";
import { UpstreamSubscriptions } from "./subscriptions.ts";
import { ToolSearch, type SearchState } from "./tool-search.ts";

/** The parts of each server without those that the manager adds. */
export type OuterParts = Omit<ManagerParts, "rules" | "lock" | "onChange" | "principals" | "apps">;

/** The whole work of the Worker: configuration, connections, offers and calls of all servers. */
export class UpstreamManager implements UpstreamWork {
  readonly #options: UpstreamOptions;
  readonly #host: UpstreamHost;
  readonly #parts: ManagerParts;
  readonly #servers: ServerSet;
  readonly #subscriptions: UpstreamSubscriptions;
  readonly #publisher: Publisher;
  readonly #search: ToolSearch;
  readonly #status: StatusFile;
  readonly #composer: Composer;
  readonly #config: CurrentConfig;
  /** Resolves when the servers of the configuration exist; undefined once they do. */
  #configured: Promise<void> | undefined;
  #isClosed = false;
  #isStarted = false;

  constructor(outer: OuterParts) {
    this.#options = outer.options;
    this.#host = outer.host;
    const notices = new Notices(outer.host);
    this.#config = new CurrentConfig({
      options: outer.options,
      trust: outer.trust,
      onNotice: notices.tell,
      onOtherServers: () => this.#composer.decideAgain(),
      apply: async (config) => {
        await this.#servers.apply(config);
        this.#onChange();
      },
    });
    this.#configured = this.#config.configured.then(() => {
      this.#configured = undefined;
    });
    this.#parts = {
      ...outer,
      rules: () => this.#config.rules,
      lock: () => this.#config.lock,
      principals: () => this.#config.principals,
      apps: () => this.#config.apps,
      onChange: () => this.#onChange(),
    };
    this.#servers = new ServerSet(this.#parts, {
      onResourceUpdated: (server, uri) => this.#subscriptions.onUpdated(server, uri),
      onDown: (server, reason, text) =>
        this.#host.notify({ kind: "failure", server, reason, text }),
      onConnected: (server) => void this.#subscriptions.onConnected(server),
    });
    this.#subscriptions = new UpstreamSubscriptions(
      (name) => this.#servers.get(name),
      this.#host,
      outer.manager,
    );
    this.#composer = new Composer({
      options: this.#options,
      views: () => this.#servers.all.map((server) => server.view()),
      lock: () => this.#config.lock,
      sources: () => listSourcesOf(this.#config.applied, this.#servers.all, this.#parts.cache),
      onIndex: () => this.#publisher.later(),
      onProblem: notices.tell,
    });
    this.#publisher = new Publisher(this.#host, () => this.#composer.compose().snapshot);
    this.#search = new ToolSearch({
      state: () => this.#searchState(),
      infoList: () => this.infoList(),
      ownKey: this.#options.ownKey,
    });
    if (outer.userLogins !== undefined) {
      outer.userLogins.serversOf = (owner) =>
        this.#servers.all.flatMap(({ main }) => main?.target.ownedBy(owner) ?? []);
    }
    const { dirs, clientProcess } = this.#options;
    this.#status = new StatusFile(dirs.scorpioxDir, clientProcess?.pid ?? process.pid, () =>
      ownStatus(this.#options, this.infoList()),
    );
  }

  async start(): Promise<void> {
    if (this.#options.isPassive === true) return;
    await this.#config.start();
    this.#isStarted = true;
    if (!this.#isClosed) this.#publisher.now();
  }

  /** Incomplete until the configuration is read, so that a search waits for it. */
  #searchState(): SearchState {
    const { state } = this.#composer;
    if (this.#isStarted) return state;
    return { ...state, snapshot: { ...state.snapshot, isIncomplete: true } };
  }

  async call(
    call: UpstreamCall,
    events: UpstreamCallEvents,
    signal: Abortable,
  ): Promise<UpstreamReply> {
    // Skip the wait once they exist: it costs each call several promises and listeners.
    if (this.#configured !== undefined) await orAborted(this.#configured, signal);
    const server = this.#servers.get(call.server);
    if (server === undefined) {
      return absentFailure(call.server);
    }
    const reply = await callServer(server, call, events, signal, this.#parts);
    this.#status.later();
    return reply;
  }

  async checkArguments(name: string, tool: string, args: unknown): Promise<string | undefined> {
    const server = this.#servers.get(name);
    return server === undefined
      ? undefined
      : argumentsFault(server, tool, args, this.#parts.checks);
  }

  search(query: SearchQuery, signal: Abortable): Promise<JsonText> {
    return this.#search.answer(query, signalOf(signal));
  }

  async control<Asked extends UpstreamControl>(
    control: Asked,
    signal: Abortable = new Cancellation(),
  ): Promise<ControlReplyTo<Asked>> {
    return ownValue(await this.#perform(control, signal));
  }

  async #perform(
    control: UpstreamControl,
    signal: Abortable,
  ): Promise<ControlReplyTo<UpstreamControl>> {
    if (control.kind === "switch-project") return this.#switchProject(control);
    if (control.kind === "several-principals") return this.#config.serveSeveral();
    if (control.kind === "show-apps") return this.#showApps(control.apps);
    if (control.kind === "login-page") await this.#untilUserLogins();
    return performControl(control, signalOf(signal), {
      ...this.#parts,
      searched: () => this.#composer.state.searched,
      server: (name) => this.#servers.known(name),
    });
  }

  /** After a restart a browser may come back before it is known which servers have logins of principals. */
  async #untilUserLogins(): Promise<void> {
    await this.#configured;
    const own = this.#servers.all.filter(
      ({ configured }) => configured.entry.options.oauth?.perUser,
    );
    for (const server of own) await server.looked;
  }

  infoList(): readonly ServerInfo[] {
    return this.#servers.all.map((server) => server.info());
  }

  async subscribe(uri: string, clientId: string): Promise<boolean> {
    await this.#configured;
    return this.#subscriptions.subscribe(uri, clientId);
  }

  unsubscribe(uri: string, clientId: string): void {
    this.#subscriptions.unsubscribe(uri, clientId);
  }

  endClient(clientId: string): void {
    this.#subscriptions.endClient(clientId);
    for (const server of this.#servers.all) server.sets?.endClient(clientId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    using _left = this.#parts.pool.leave(this.#parts.manager);
    this.#parts.ending.abort();
    this.#config.follower[Symbol.dispose]();
    this.#publisher[Symbol.dispose]();
    this.#subscriptions[Symbol.dispose]();
    await Promise.all([
      this.#composer[Symbol.asyncDispose](),
      this.#servers[Symbol.asyncDispose](),
      this.#status[Symbol.asyncDispose](),
    ]);
  }

  /**
   * The client has moved: reads the servers of the other project, which start once they are approved. Servers in common keep running and get the new roots (CN16).
   */
  async #switchProject({ projectDir, folders }: ClientPlace): Promise<void> {
    const { follower } = this.#config;
    const changed = this.#parts.project.become(projectDir ?? undefined, folders);
    if (changed.project) {
      this.#composer.leavePlace();
      await follower.follow();
    }
    if (!changed.folders) return;
    // In the hub other clients may share a server: those with other roots have another one.
    if (this.#parts.shared !== undefined) await follower.again();
    for (const server of this.#servers.all) server.sets?.tellRoots();
  }

  #showApps(apps: AppSupport): void {
    this.#config.showApps(apps);
    for (const server of this.#servers.all) server.showApps();
  }

  #onChange(): void {
    if (this.#options.isPassive === true) return;
    this.#composer.invalidate();
    this.#publisher.later();
    this.#status.later();
  }
}
