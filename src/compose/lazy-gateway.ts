import { messageOf } from "../base/errors.ts";
import { Lazy } from "../base/lazy.ts";
import { product } from "../base/product.ts";
import type { ServerEvent } from "../base/server-events.ts";
import type { Environment } from "../base/values.ts";
import type { CallMaker, CallRequest, ClientContext } from "../calls/call.ts";
import type {
  Changes,
  CompletionProvider,
  PromptProvider,
  ResourceProvider,
} from "../calls/features.ts";
import type { GateStage, Refusal } from "../calls/gate/gate-stage.ts";
import type { GatewayServices, UpstreamGateway } from "../calls/upstream/upstream-gateway.ts";
import type { ListAsked } from "../calls/upstream/upstream-listings.ts";
import type { UpstreamSkills } from "../calls/upstream/upstream-skills.ts";
import type { StartUp } from "../cli/start-up.ts";
import type { ClientCapabilities } from "../protocol/client-capabilities.ts";
import type { CacheHints } from "../protocol/list-parts.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import { toolCallName, toolSearchName } from "../base/tool-kinds.ts";
import type { LazySkills } from "./lazy-features.ts";
import type { LazyUpstreams } from "./lazy-upstreams.ts";
import type { UpstreamConsent } from "./upstream-consent.ts";

export interface LazyGatewayParts {
  readonly upstreams: LazyUpstreams;
  /** In the current project. */
  readonly start: () => StartUp;
  /** See `FollowedProject`. */
  readonly follow: (client: ClientContext) => Promise<void> | undefined;
  readonly env: Environment;
  /** One client is served, whose first list may be that of the last start. */
  readonly keepsLists: boolean;
  readonly changes: Changes;
  /** Names of all built-in tools. */
  readonly builtInNames: readonly string[];
  /** Names of the built-in tools that are switched on. */
  readonly enabledNames: readonly string[];
  readonly skills: Pick<LazySkills, "prompts" | "completion">;
  readonly services: () => Promise<GatewayServices>;
  readonly warn: (message: string) => void;
}

/** The part of upstream servers that clients see; none of it is loaded where there are none. */
export class LazyGateway implements Disposable {
  readonly #parts: LazyGatewayParts;
  /** Names of the built-in tools that are switched on. */
  readonly enabledNames: ReadonlySet<string>;
  /** Made with the gateway. */
  #consent: UpstreamConsent | undefined;
  readonly #gateway: Lazy<UpstreamGateway> = new Lazy(() => this.#make());

  constructor(parts: LazyGatewayParts) {
    this.#parts = parts;
    this.enabledNames = new Set(parts.enabledNames);
    parts.upstreams.listen((event) => {
      if (event.kind === "notice") parts.warn(event.text);
      // Later changes are reported by the gateway, which follows them.
      if (event.kind === "snapshot" && this.#gateway.making === undefined) void this.#gateway.get();
    });
  }

  /** Costs a look at some files while there are no upstream servers. */
  get isWanted(): boolean {
    return this.#parts.upstreams.isWanted;
  }

  /** Servers have been looked for, or are. Other than `isWanted` this looks at no file. */
  get isMade(): boolean {
    return this.#gateway.making !== undefined;
  }

  listFor(
    own: readonly ToolListing[],
    client: ClientContext,
    asked: ListAsked,
  ): Promise<readonly ToolListing[]> {
    return this.#for(client).then(({ listings }) => listings.listFor(own, client, asked));
  }

  /** A client has declared its capabilities. */
  meet({ apps }: ClientCapabilities): void {
    this.#parts.upstreams.meet(apps);
  }

  /** `own`, with the tools of upstream servers known by now. */
  now(own: readonly ToolListing[]): readonly ToolListing[] {
    return this.#gateway.made?.listings.now(own) ?? own;
  }

  /** See `GateParts.resolve`. */
  readonly resolve = (call: CallRequest): CallRequest | Promise<CallRequest> => {
    const following = this.#parts.follow(call.client);
    return following === undefined
      ? this.#resolve(call)
      : following.then(() => this.#resolve(call));
  };

  #resolve(call: CallRequest): CallRequest | Promise<CallRequest> {
    if (!this.isWanted) return call;
    if (call.capabilities !== undefined) this.meet(call.capabilities);
    return (
      this.#gateway.made?.for(call.client).resolver.resolve(call) ??
      this.#for(call.client).then(({ resolver }) => resolver.resolve(call))
    );
  }

  /** The project is another one: the next list waits for its servers as the first did. */
  onMoved(): void {
    this.#gateway.made?.awaitAgain();
    this.#consent?.onMoved();
  }

  /** Behind plan mode: calls that cannot be made at all, and servers that the user has not approved. */
  readonly stage: GateStage = {
    restFor: ({ target }) =>
      target === undefined ? { until: Number.POSITIVE_INFINITY } : undefined,
    check: (call, isLast): Promise<Refusal | undefined> | undefined => {
      const gateway = this.#gateway.made?.for(call.client);
      if (call.target === undefined || gateway === undefined) return undefined;
      const asking = this.#askConsent(call, gateway);
      if (asking !== undefined) return asking.then(() => gateway.stage.check(call, isLast));
      // As the stage itself would find: no need to enter it.
      return call.target.kind === "tool" && isLast()
        ? undefined
        : gateway.stage.check(call, isLast);
    },
  };

  /** The first search for tools waits until the set of servers is known; a search itself waits for their tools. */
  #askConsent(call: CallRequest, { listings }: UpstreamGateway): Promise<void> | undefined {
    const { snapshot } = this.#parts.upstreams;
    if (snapshot !== undefined) return this.#consent?.check(call, snapshot);
    return listings.lookedAt().then((known) => this.#consent?.check(call, known));
  }

  /** Makes the calls behind the gate that have a target. */
  readonly calls: CallMaker = {
    call: (request, afterStages) => {
      const { client } = request;
      const calls =
        this.#gateway.made?.for(client).calls() ?? this.#for(client).then((it) => it.calls());
      return calls instanceof Promise
        ? calls.then((made) => made.call(request, afterStages))
        : calls.call(request, afterStages);
    },
  };

  readonly resources: ResourceProvider = {
    list: async (client) => (this.isWanted ? (await this.#for(client)).resources.list() : []),
    templates: async (client) =>
      this.isWanted ? (await this.#for(client)).resources.templates() : [],
    read: async (uri, context) =>
      this.isWanted ? (await this.#for(context.client)).resources.read(uri, context) : undefined,
    prepareWatch: (uris, client) => {
      const gateway = this.#gateway.made;
      if (gateway !== undefined) return gateway.for(client).resources.prepareWatch(uris, client);
      if (!this.isWanted) return undefined;
      return this.#for(client).then(({ resources }) => resources.prepareWatch(uris, client));
    },
    canSubscribe: (uri, client) =>
      this.#gateway.made?.for(client).resources.canSubscribe(uri, client) === true,
    watch: (uri, client) =>
      this.#gateway.made?.for(client).resources.watch(uri, client) ?? ((): void => {}),
  };

  readonly prompts: PromptProvider = {
    list: async (client) => (await this.#prompts(client)).list(client),
    get: async (name, args, context) =>
      (await this.#prompts(context.client)).get(name, args, context),
  };

  /** Skills of upstream servers; undefined while there are none. */
  skills(client: ClientContext): Promise<UpstreamSkills> | undefined {
    return this.isWanted ? this.#for(client).then(({ skills }) => skills) : undefined;
  }

  readonly completion: CompletionProvider = {
    complete: async (request, client) => {
      const { completion } = this.isWanted ? await this.#for(client) : this.#parts.skills;
      return completion.complete(request, client);
    },
  };

  /** Names other than those of own tools may be of upstream tools, whose calls may become MCP tasks. */
  mayTakeName(name: string): boolean {
    return (
      this.isWanted &&
      name !== toolSearchName &&
      (name === toolCallName || !this.enabledNames.has(name))
    );
  }

  /** Reports failures of upstream servers to `emit`. */
  tellFailures(emit: (event: ServerEvent) => void): void {
    this.#parts.upstreams.listen((event) => {
      if (event.kind !== "failure") return;
      const { server, reason, text } = event;
      emit({ kind: "api_error", server, reason, text });
    });
  }

  /** How long lists may be cached that have entries of upstream servers; undefined as long as none has. */
  joinedHints(): CacheHints | undefined {
    const { snapshot } = this.#parts.upstreams;
    const known = snapshot ?? this.#gateway.made?.listings.keptHints;
    if (known === undefined || !this.isWanted) return undefined;
    const { ttlMs, isPrivate } = known;
    return { ttlMs: Math.floor(ttlMs), cacheScope: isPrivate ? "private" : "public" };
  }

  /** Starts to look for upstream servers. */
  warm(): void {
    if (!this.isWanted) return;
    this.#gateway.get().then(
      () => this.#parts.upstreams.settled(0),
      (error: unknown) => this.#parts.warn(`MCP servers cannot be reached: ${messageOf(error)}`),
    );
  }

  endClient(clientId: string): void {
    this.#gateway.made?.endClient(clientId);
  }

  [Symbol.dispose](): void {
    this.#gateway.made?.[Symbol.dispose]();
  }

  /** The part of it that exists for the client. */
  #for(client: ClientContext): Promise<UpstreamGateway> {
    return this.#gateway.get().then((gateway) => gateway.for(client));
  }

  async #prompts(client: ClientContext): Promise<PromptProvider> {
    return this.isWanted ? (await this.#for(client)).prompts : this.#parts.skills.prompts;
  }

  async #make(): Promise<UpstreamGateway> {
    const [module, consent, kept] = await Promise.all([
      import("../calls/upstream/upstream-gateway.ts"),
      import("./upstream-consent.ts"),
      import("../upstream/cache/kept-lists.ts"),
    ]);
    const {
      upstreams,
      start,
      env,
      keepsLists,
      changes,
      builtInNames,
      enabledNames,
      skills,
      services,
    } = this.#parts;
    this.#consent = new consent.UpstreamConsent({
      ...this.#parts,
      questions: async () => (await services()).questions(),
    });
    return new module.UpstreamGateway({
      upstreams,
      changes,
      builtInNames,
      enabledNames,
      services,
      defer: start().upstream.defer,
      ownKey: start().config.settings.mcp.serverName,
      prompts: skills.prompts,
      completion: skills.completion,
      ...(keepsLists && {
        keptLists: () =>
          kept.readKeptLists(kept.keptListsFileOf(start(), env, product.version), env),
      }),
    });
  }
}
