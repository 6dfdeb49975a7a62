import { createDeferred } from "../../base/deferred.ts";
import { messageOf } from "../../base/errors.ts";
import { upstreamNoticesKept } from "../../base/upstream-limits.ts";
import type { JsonText } from "../../base/json-text.ts";
import { sharedNotices } from "../config/isolation.ts";
import { configFace } from "../config/launch-identity.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import type { UpstreamConfig } from "../config/server-entry.ts";
import type { ServerInfo } from "../server-state.ts";
import { type LockReading, readLock } from "../trust/lock/read-lock.ts";
import type {
  SearchQuery,
  UpstreamCall,
  UpstreamCallEvents,
  UpstreamControl,
  UpstreamReply,
} from "../upstreams.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";
import type { UpstreamHost, UpstreamWork } from "../worker/upstream-work.ts";
import { argumentsFault, callFault } from "./arguments-fault.ts";
import { failed } from "./call-failure.ts";
import { Composer } from "./composer.ts";
import { ConfigFollower } from "./config-follower.ts";
import type { ManagerParts } from "./manager-parts.ts";
import { orCancelled } from "./or-cancelled.ts";
import { performControl } from "./perform-control.ts";
import { Publisher } from "./publisher.ts";
import { ServerCall } from "./server-call.ts";
import { ServerSet } from "./server-set.ts";
import { ownStatus } from "./server-status.ts";
import { StatusFile } from "./status-file.ts";
import { Subscriptions } from "./subscriptions.ts";
import { switchPlace } from "./switch-project.ts";
import { ToolSearch, type SearchState } from "./tool-search.ts";

/** What the manager itself adds to the parts of each server. */
export type OuterParts = Omit<ManagerParts, "rules" | "lock" | "onChange" | "principals" | "apps">;

/** All servers: configuration, connections, what they offer, calls to them. The whole work of the Worker. */
export class UpstreamManager implements UpstreamWork {
  readonly #options: UpstreamOptions;
  readonly #host: UpstreamHost;
  readonly #parts: ManagerParts;
  readonly #servers: ServerSet;
  readonly #subscriptions: Subscriptions;
  readonly #publisher: Publisher;
  readonly #search: ToolSearch;
  readonly #status: StatusFile;
  readonly #composer: Composer;
  readonly #follower: ConfigFollower;
  /** Resolves when the servers of the configuration are there, whatever is known of them. */
  readonly #configured = createDeferred<void>();
  #isConfigured = false;
  #config: UpstreamConfig | undefined;
  /** Who is served, as it is now. */
  #served: Pick<UpstreamOptions, "principals" | "apps">;
  #lock: LockReading = { kind: "absent" };
  readonly #told = new Set<string>();
  #isClosed = false;
  #isStarted = false;

  constructor(outer: OuterParts) {
    this.#options = outer.options;
    this.#host = outer.host;
    this.#served = outer.options;
    this.#follower = new ConfigFollower(outer.options, (config) =>
      this.#apply(config).catch((error: unknown) => this.#notice(messageOf(error))),
    );
    this.#parts = {
      ...outer,
      rules: () => this.#config?.rules ?? [],
      lock: () => this.#lock,
      principals: () => this.#served.principals,
      apps: () => this.#served.apps,
      onChange: () => this.#onChange(),
    };
    this.#servers = new ServerSet(this.#parts, {
      onResourceUpdated: (server, uri) => this.#subscriptions.onUpdated(server, uri),
      onDown: (server, reason, text) =>
        this.#host.notify({ kind: "failure", server, reason, text }),
      onConnected: (server) => void this.#subscriptions.onConnected(server),
    });
    this.#subscriptions = new Subscriptions((name) => this.#servers.get(name), this.#host);
    this.#composer = new Composer({
      options: this.#options,
      views: () => this.#servers.all.map((server) => server.view()),
      lock: () => this.#lock,
      onIndex: () => this.#publisher.later(),
      onProblem: (problem) => this.#notice(problem),
    });
    this.#publisher = new Publisher(this.#host, () => this.#composer.compose().snapshot);
    this.#search = new ToolSearch({
      state: () => this.#searchState(),
      infoList: () => this.infoList(),
      ownKey: this.#options.ownKey,
    });
    const { scorpioxDir } = this.#options.dirs;
    this.#status = new StatusFile(scorpioxDir, () => ownStatus(this.#options, this.infoList()));
  }

  async start(): Promise<void> {
    if (this.#options.isPassive === true) return;
    try {
      await this.#follower.follow(this.#options.workspace);
    } catch (error) {
      this.#notice(`Other MCP servers cannot be used: ${messageOf(error)}`);
    }
    this.#onConfigured();
    this.#isStarted = true;
    if (!this.#isClosed) this.#publisher.now();
  }

  /** Until the configuration is read, nobody knows which servers there are: a search waits for that too. */
  #searchState(): SearchState {
    const { state } = this.#composer;
    if (this.#isStarted) return state;
    return { ...state, snapshot: { ...state.snapshot, isIncomplete: true } };
  }

  async call(
    call: UpstreamCall,
    events: UpstreamCallEvents,
    signal: AbortSignal,
  ): Promise<UpstreamReply> {
    // Once they are there nothing is waited for: to wait costs each call several promises and listeners.
    if (!this.#isConfigured) await orCancelled(this.#configured.promise, signal);
    const server = this.#servers.get(call.server);
    if (server === undefined) {
      return failed(
        "unreachable",
        `There is no server ${call.server} in the configuration any more.`,
      );
    }
    if (!server.isLookedAt) await orCancelled(server.looked, signal);
    const fault = await callFault(server, call, this.#parts.checks);
    if (fault !== undefined) return failed("invalid_arguments", fault);
    const reply = await new ServerCall(server, call, events, signal, this.#parts).run();
    this.#status.later();
    return reply;
  }

  async checkArguments(name: string, tool: string, args: unknown): Promise<string | undefined> {
    const judged = this.#servers.get(name)?.offer.tool(tool);
    if (judged === undefined) return undefined;
    return argumentsFault(name, judged.item, args, this.#parts.checks);
  }

  search(query: SearchQuery, signal: AbortSignal): Promise<JsonText> {
    return this.#search.answer(query, signal);
  }

  async control(control: UpstreamControl, signal = new AbortController().signal): Promise<unknown> {
    if (control.kind === "switch-workspace" || control.kind === "switch-project")
      return this.#switchPlace(control);
    if (control.kind === "several-principals") return this.#serveSeveral();
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
    await this.#configured.promise;
    return this.#subscriptions.subscribe(uri, clientId);
  }

  unsubscribe(uri: string, clientId: string): void {
    this.#subscriptions.unsubscribe(uri, clientId);
  }

  endClient(clientId: string): void {
    this.#subscriptions.endClient(clientId);
    for (const server of this.#servers.all) server.linkSets?.endClient(clientId);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts.ending.abort();
    this.#follower.close();
    this.#publisher.close();
    this.#subscriptions.close();
    await Promise.all([this.#composer.close(), this.#servers.close(), this.#status.close()]);
  }

  async #switchPlace(control: Parameters<typeof switchPlace>[0]): Promise<readonly ServerInfo[]> {
    const parts = { follower: this.#follower, composer: this.#composer, servers: this.#servers };
    const { workspace } = this.#options;
    await switchPlace(control, { ...parts, workspace, project: this.#parts.project });
    return this.infoList();
  }

  /** Resolves when the connections that all shared have ended. */
  async #serveSeveral(): Promise<void> {
    this.#served = { ...this.#served, principals: "several" };
    await this.#follower.again();
  }

  #showApps(apps: AppSupport): void {
    this.#served = { ...this.#served, apps };
    for (const server of this.#servers.all) server.showApps();
  }

  #onConfigured(): void {
    this.#isConfigured = true;
    this.#configured.resolve();
  }

  async #apply(config: UpstreamConfig): Promise<void> {
    // What was decided by another configuration does not hold (DF2); an approval is none.
    if (configFace(config) !== configFace(this.#config)) this.#composer.decideAgain();
    this.#config = config;
    const { projectDir } = this.#options.dirs;
    this.#lock = projectDir === undefined ? { kind: "absent" } : await readLock(projectDir);
    const problem = await this.#parts.trust.problem();
    const shared = sharedNotices(config, this.#served.principals);
    const { problems, notices } = config;
    for (const text of [...problems, ...notices, ...shared, problem ?? ""]) this.#notice(text);
    const applied = this.#servers.apply(config);
    this.#onConfigured();
    await applied;
    this.#onChange();
  }

  /** Each text once: files are read again and again. */
  #notice(text: string): void {
    if (text === "" || this.#told.has(text)) return;
    if (this.#told.size >= upstreamNoticesKept) this.#told.clear();
    this.#told.add(text);
    this.#host.notify({ kind: "notice", text });
  }

  #onChange(): void {
    if (this.#options.isPassive === true) return;
    this.#composer.invalidate();
    this.#publisher.later();
    this.#status.later();
  }
}
