import { upstreamNoticesKept } from "../../base/upstream-limits.ts";
import type { JsonText } from "../../base/weight.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { ServerInfo } from "../server-state.ts";
import type {
  SearchQuery,
  UpstreamCall,
  UpstreamCallEvents,
  UpstreamControl,
  UpstreamReply,
} from "../upstreams.ts";
import type { UpstreamHost, UpstreamOptions, UpstreamWork } from "../worker/upstream-options.ts";
import { Composer, Publisher } from "./composer.ts";
import { CurrentConfig } from "./current-config.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { performControl } from "./perform-control.ts";
import { ServerCalls, ServerSet, switchPlace } from "./server-calls.ts";
import { ownStatus, StatusFile } from "./server-status.ts";
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
  readonly #calls: ServerCalls;
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
    this.#subscriptions = new UpstreamSubscriptions((name) => this.#servers.get(name), this.#host);
    this.#composer = new Composer({
      options: this.#options,
      views: () => this.#servers.all.map((server) => server.view()),
      lock: () => this.#config.lock,
      onIndex: () => this.#publisher.later(),
      onProblem: notices.tell,
    });
    this.#publisher = new Publisher(this.#host, () => this.#composer.compose().snapshot);
    this.#search = new ToolSearch({
      state: () => this.#searchState(),
      infoList: () => this.infoList(),
      ownKey: this.#options.ownKey,
    });
    const { scorpioxDir } = this.#options.dirs;
    this.#status = new StatusFile(scorpioxDir, () => ownStatus(this.#options, this.infoList()));
    this.#calls = new ServerCalls({
      parts: this.#parts,
      config: this.#config,
      servers: this.#servers,
      onReply: () => this.#status.later(),
    });
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

  call(
    call: UpstreamCall,
    events: UpstreamCallEvents,
    signal: AbortSignal,
  ): Promise<UpstreamReply> {
    return this.#calls.make(call, events, signal);
  }

  checkArguments(name: string, tool: string, args: unknown): Promise<string | undefined> {
    return this.#calls.checkArguments(name, tool, args);
  }

  search(query: SearchQuery, signal: AbortSignal): Promise<JsonText> {
    return this.#search.answer(query, signal);
  }

  async control(control: UpstreamControl, signal = new AbortController().signal): Promise<unknown> {
    if (control.kind === "switch-workspace" || control.kind === "switch-project")
      return this.#switchPlace(control);
    if (control.kind === "several-principals") return this.#config.serveSeveral();
    if (control.kind === "show-apps") return this.#showApps(control.apps);
    return performControl(control, signal, {
      ...this.#parts,
      infoList: () => this.infoList(),
      searched: () => this.#composer.state.searched,
      server: (name) => this.#servers.known(name),
    });
  }

  infoList(): readonly ServerInfo[] {
    return this.#servers.all.map((server) => server.info());
  }

  async subscribe(uri: string, clientId: string): Promise<boolean> {
    await this.#config.configured;
    return this.#subscriptions.subscribe(uri, clientId);
  }

  unsubscribe(uri: string, clientId: string): void {
    this.#subscriptions.unsubscribe(uri, clientId);
  }

  endClient(clientId: string): void {
    this.#subscriptions.endClient(clientId);
    for (const server of this.#servers.all) server.linkSets?.endClient(clientId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
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

  async #switchPlace(control: Parameters<typeof switchPlace>[0]): Promise<readonly ServerInfo[]> {
    const { follower } = this.#config;
    const parts = { follower, composer: this.#composer, servers: this.#servers };
    const { workspace } = this.#options;
    await switchPlace(control, { ...parts, workspace, project: this.#parts.project });
    return this.infoList();
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

/** Notices for the user. */
class Notices {
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
