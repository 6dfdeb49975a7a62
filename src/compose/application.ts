import { Lazy } from "../base/lazy.ts";
import { shutdownKillMs } from "../base/limits.ts";
import { skillToolName } from "../base/tool-kinds.ts";
import { type ChannelPort, workerPort } from "../base/worker-channel/channel-port.ts";
import type {
  CallOutcome,
  CallRequest,
  ClientContext,
  ToolProvider,
  TaskSupport,
} from "../calls/call.ts";
import { Changes, type ResourceProvider } from "../calls/features.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { Holdings } from "../fleet/places/held-state.ts";
import type { ClientCapabilities } from "../protocol/client-capabilities.ts";
import type { ProtocolVersion } from "../protocol/message.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import { LiveConnections } from "../server/connection/live-connections.ts";
import { mayHaveServers } from "../upstream/config/upstream-start.ts";
import { LazyResources, LazySkills } from "./lazy-features.ts";
import { LazyGateway } from "./lazy-gateway.ts";
import { FollowedProject, LazyUpstreams, type UpstreamPorts } from "./lazy-upstreams.ts";
import type { ProgramParts, ApplicationOptions } from "./program-parts.ts";
import type { ToolServices } from "./tool-services.ts";

/** The program behind every transport: lists tools at once, and makes the services behind them when they are first needed. */
export class Application implements ToolProvider, AsyncDisposable {
  /** The changes that the services behind the tools report. */
  readonly changes = new Changes();
  /** How clients are reached who have not asked just now; the server keeps it. */
  readonly connections = new LiveConnections();
  readonly resources: ResourceProvider = new LazyResources({
    made: () => this.#services.made?.resources,
    make: async () => (await this.#services.get()).resources,
  });
  readonly skills: LazySkills;
  /** All upstream servers of the user. */
  readonly upstreams: LazyUpstreams;
  /** The part of them that clients see. */
  readonly gateway: LazyGateway;
  /** Only where one client is served: several may work in as many projects. */
  readonly #project: FollowedProject | undefined;
  readonly #offersSkills: boolean;
  readonly #parts: ProgramParts;
  readonly #options: ApplicationOptions;
  readonly #listings: readonly ToolListing[];
  readonly #taskSupports: ReadonlyMap<string, TaskSupport>;
  readonly #services: Lazy<ToolServices> = new Lazy(() => this.#makeServices());
  readonly #hub = new Lazy(async () => {
    const { HubAccess } = await import("./hub-access.ts");
    return new HubAccess(this.#options);
  });

  constructor(parts: ProgramParts, options: ApplicationOptions) {
    this.#parts = parts;
    this.#options = options;
    const { settings } = options.start.config;
    const cards = parts.cards.filter(({ listing }) => settings.isToolEnabled(listing.name));
    this.#listings = cards.map((card) => card.listing);
    this.skills = new LazySkills({
      start: options.start,
      changes: this.changes,
      listings: this.#listings,
    });
    this.#project = options.transport === "stdio" ? this.#createProject() : undefined;
    this.upstreams = this.#createUpstreams();
    this.gateway = this.#createGateway();
    this.#offersSkills = this.enabledNames.includes(skillToolName);
    this.#taskSupports = new Map(cards.map((card) => [card.listing.name, card.taskSupport]));
  }

  /** Listings of the built-in tools that are switched on. */
  get enabledListings(): readonly ToolListing[] {
    return this.#listings;
  }

  get enabledNames(): readonly string[] {
    return this.#listings.map(({ name }) => name);
  }

  /** Names of the built-in tools that are offered now. */
  get offeredNames(): readonly string[] {
    return this.#offered(this.#listings).map(({ name }) => name);
  }

  /** Undefined where a tool is switched off. */
  get wholeInstructions(): ProgramParts["wholeInstructions"] {
    const { cards, wholeInstructions } = this.#parts;
    return this.offeredNames.length === cards.length ? wholeInstructions : undefined;
  }

  list(): readonly ToolListing[] {
    return this.gateway.now(this.#offered(this.#listings));
  }

  /** InvokeSkill lists the skills that this client can load; upstream tools follow the own ones. */
  listFor(
    client: ClientContext,
    version?: ProtocolVersion,
    showsApps = false,
  ): Promise<readonly ToolListing[]> {
    const own = this.#offersSkills
      ? this.skills.toolListings(client).then((listings) => this.#offered(listings))
      : Promise.resolve(this.#offered(this.#listings));
    const following = this.#project?.follow(client);
    const join = (): Promise<readonly ToolListing[]> =>
      this.gateway.isWanted
        ? own.then((listings) => this.gateway.listFor(listings, client, { version, showsApps }))
        : own;
    return following === undefined ? join() : following.then(join);
  }

  #offered(listings: readonly ToolListing[]): readonly ToolListing[] {
    return this.#options.separation?.offered(listings) ?? listings;
  }

  meet(capabilities: ClientCapabilities): void {
    this.gateway.meet(capabilities);
  }

  /** The client says that it offers other folders: the servers of its project are others. */
  rootsChanged(client: ClientContext): void {
    this.#project?.forget();
    void this.#project?.follow(client)?.then(() => this.gateway.warm());
  }

  get takesOtherNames(): boolean {
    return this.gateway.isWanted;
  }

  taskSupport(toolName: string): TaskSupport {
    const own = this.#taskSupports.get(toolName);
    return own ?? (this.gateway.mayTakeName(toolName) ? "optional" : "none");
  }

  /** The first calls wait for the services; later ones go straight to the gate. */
  call = async (request: CallRequest): Promise<CallOutcome> =>
    (await this.#services.get()).gate.call(request);

  /** See `ServerContextOptions.claimState`. */
  async claimState(use: string, expiresAtMs: number): Promise<boolean> {
    return (await this.#services.get()).claimState(use, expiresAtMs);
  }

  /** Gets ready for the first call, which reports failures. */
  warm(): void {
    this.#services.get().then(
      (services) => services.warm(),
      () => {},
    );
    this.gateway.warm();
  }

  /** The state of clients that another process can take over. */
  readonly holdings: Holdings = {
    saved: (clientId) => this.#services.made?.holdings.saved(clientId),
    restore: async (...taken) => (await this.#services.get()).holdings.restore(...taken),
  };

  /** Others take over the clients of this process. */
  async giveUpClients(how: "kill" | "detach"): Promise<void> {
    await this.#services.made?.holdings.giveUp(how);
  }

  /** Several principals are served from now on: what was shared or unbounded while there was one is ended. */
  async serveSeveral(): Promise<void> {
    const { separation } = this.#options;
    await Promise.all([this.upstreams.serveSeveral(), separation?.begin()]);
    await this.#services.made?.endCommands();
    this.changes.emit({ kind: "tools" });
    const notice = separation?.notice();
    if (notice !== undefined) this.#options.warn(notice);
  }

  /** The state of the services behind own tools; undefined before the first call. */
  get toolFigures(): ReturnType<ToolServices["figures"]> | undefined {
    return this.#services.made?.figures();
  }

  /** Ends processes that a client has left running. */
  endClient(clientId: string): void {
    this.skills.endClient(clientId);
    this.gateway.endClient(clientId);
    void this.#services.made?.endClient(clientId);
  }

  /**
   * Ends processes that calls have started.
   * @param goneAt when the client went or the signal came; from then on the time until KILL runs
   */
  async endAfter(goneAt = performance.now()): Promise<void> {
    // Services that are still being made wait for a reader that may never read: they see this.
    this.#services.close();
    this.skills[Symbol.dispose]();
    this.gateway[Symbol.dispose]();
    const upstreamsEnded = this.upstreams[Symbol.asyncDispose]();
    await this.#services.made?.endBy(goneAt + shutdownKillMs);
    await upstreamsEnded;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.endAfter();
  }

  #createProject(): FollowedProject {
    const { start, warn } = this.#options;
    return new FollowedProject({
      start,
      warn,
      onMove: async (place) => {
        await this.upstreams.moveTo(place);
        this.gateway.onMoved();
      },
    });
  }

  /** In the current project. */
  readonly #startNow = (): StartUp => this.#project?.start ?? this.#options.start;

  #createUpstreams(): LazyUpstreams {
    const { env, warn, beforeServices, onWorker } = this.#options;
    return new LazyUpstreams({
      onState: (isUp) => onWorker?.("upstream", isUp),
      openPorts: () => this.#openPorts(),
      mayHaveServers: () => mayHaveServers(this.#startNow(), this.#options.start.dirs.projectDir),
      options: async () => {
        const { createUpstreamOptions } = await import("./upstream-options.ts");
        const folders = this.#project?.folders ?? [];
        return { ...createUpstreamOptions(this.#startNow(), env, this.#options), folders };
      },
      beforeStart: async () => beforeServices?.(),
      processes: async () => (await this.#services.get()).upstreamProcesses(),
      warn,
    });
  }

  async #openPorts(): Promise<UpstreamPorts> {
    const openWorker = (): ChannelPort => workerPort(this.#parts.createUpstreamWorker());
    const hub = await this.#hub.get();
    return hub.upstreamPorts(openWorker) ?? { openPort: openWorker };
  }

  #createGateway(): LazyGateway {
    const { env, warn, transport } = this.#options;
    return new LazyGateway({
      keepsLists: transport === "stdio",
      upstreams: this.upstreams,
      start: this.#startNow,
      follow: (client) => this.#project?.follow(client),
      env,
      changes: this.changes,
      builtInNames: this.#parts.cards.map(({ listing }) => listing.name),
      enabledNames: this.enabledNames,
      skills: this.skills,
      services: async () => (await this.#services.get()).forGateway,
      warn,
    });
  }

  async #makeServices(): Promise<ToolServices> {
    await this.#options.beforeServices?.();
    this.#services.assertOpen();
    const [module, skills] = await Promise.all([
      import("./tool-services.ts"),
      this.#offersSkills ? this.skills.forCalls() : undefined,
    ]);
    // Nothing would end the processes that they start.
    this.#services.assertOpen();
    const services = module.createToolServices({
      program: this.#parts,
      options: { ...this.#options, skills },
      changes: this.changes,
      reach: this.connections,
      gateway: this.gateway,
      hub: () => this.#hub.get(),
    });
    this.call = services.gate.call.bind(services.gate);
    return services;
  }
}
