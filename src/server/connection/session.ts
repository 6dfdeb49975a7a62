import type { Person } from "../../base/person.ts";
import type { ClientContext, ClientLimits } from "../../calls/call.ts";
import {
  type ClientCapabilities,
  noClientCapabilities,
  readClientCapabilities,
  type Envelope,
  readName,
} from "../../protocol/client-capabilities.ts";
import { takesChannel } from "../../protocol/handshake-codec.ts";
import type { LogLevel, Params } from "../../protocol/json-rpc.ts";
import {
  isLegacyVersion,
  legacyVersionLatest,
  type LegacyVersion,
} from "../../protocol/message.ts";
import { type Asker, PipeLane } from "./active-request.ts";
import { type ClientRequests, WorkspaceRoots } from "./client-requests.ts";
import type { Outbox } from "./replies.ts";

/** The composition root's knowledge of the client before its first message. */
export interface ClientProfile {
  /** Whom live state belongs to; see `ClientContext.id`. */
  readonly id: string;
  /** How much a client of this `clientInfo.name` takes. */
  limitsFor(clientName: string | undefined): ClientLimits;
  /** Where commands run when the client offers no root. */
  readonly fallbackDir: string;
  /** See `ClientContext.mayUse`. */
  readonly mayUse?: (toolName: string) => boolean;
  /** See `ClientContext`; of the newest request. */
  readonly person?: () => Person;
  readonly servers?: () => ReadonlySet<string> | undefined;
  /** See `ClientContext`. */
  readonly ownPlace?: ClientContext["ownPlace"];
  readonly owner?: string;
  readonly identity?: () => string | undefined;
  readonly workspaceName?: string | undefined;
  readonly isRemote?: boolean;
}

/** State of the `initialize` handshake. Only legacy requests look at it (docs/spec/legacy.md#which-era). */
export class Session {
  readonly #profile: ClientProfile;
  readonly #roots: WorkspaceRoots;
  /** Called when what another replica must know of the session has changed; set by a fleet. */
  onChange: (() => void) | undefined;
  /** The URIs of `resources/subscribe`. */
  readonly subscribedUris = new WatchedUris(() => this.onChange?.());
  #version: LegacyVersion | undefined;
  /** Looked up when they are first asked for: the handshake does without them. */
  #limits: ClientLimits | undefined;
  #clientName: string | undefined;
  #capabilities: ClientCapabilities = noClientCapabilities;
  #takesChannel = false;
  #isInitialized = false;
  #logLevel: LogLevel = "info";
  /** On a lane that lasts all requests are from the same asker, until the session changes. */
  #lasting: { readonly lane: PipeLane; readonly asker: Asker } | undefined;

  constructor(profile: ClientProfile, requests: ClientRequests) {
    this.#profile = profile;
    this.#roots = new WorkspaceRoots(requests, profile.fallbackDir);
  }

  /** The upstream servers that exist for the client; undefined: all. */
  get servers(): ReadonlySet<string> | undefined {
    return this.#profile.servers?.();
  }

  /** Whom live state belongs to. */
  get clientId(): string {
    return this.#profile.id;
  }

  /** See `ClientContext.owner`. */
  get owner(): string | undefined {
    return this.#profile.owner;
  }

  /** The name that the client gave in `initialize`. */
  get clientName(): string | undefined {
    return this.#clientName;
  }

  /** The negotiated revision; undefined before `initialize`. */
  get version(): LegacyVersion | undefined {
    return this.#version;
  }

  /** The client's declarations in `initialize`. */
  get capabilities(): ClientCapabilities {
    return this.#capabilities;
  }

  /** True when messages may be put into its conversation. */
  get takesChannel(): boolean {
    return this.#takesChannel;
  }

  get logLevel(): LogLevel {
    return this.#logLevel;
  }

  /** From `notifications/initialized` on: only then the client may be asked or told anything (docs/spec/legacy.md#sessions). */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  /** Takes the parameters of `initialize`; a revision that we do not have becomes our latest (docs/spec/legacy.md#sessions). */
  begin(params: Params | undefined): LegacyVersion {
    const requested = params?.protocolVersion;
    this.#version = isLegacyVersion(requested) ? requested : legacyVersionLatest;
    this.#capabilities = readClientCapabilities(params?.capabilities, this.#version);
    this.#takesChannel = takesChannel(params);
    this.#isInitialized = false;
    this.#logLevel = "info";
    this.subscribedUris.clear();
    this.#roots.forget();
    this.#clientName = readName(params?.clientInfo);
    this.#limits = undefined;
    this.#lasting = undefined;
    return this.#version;
  }

  /** The handshake as another replica needs it; undefined before `initialize`. */
  get handshake(): Handshake | undefined {
    if (this.#version === undefined) return undefined;
    return {
      version: this.#version,
      capabilities: this.#capabilities,
      ...(this.#clientName === undefined ? {} : { clientName: this.#clientName }),
      takesChannel: this.#takesChannel,
    };
  }

  /** Goes on from the handshake that was held elsewhere. */
  resume({ version, capabilities, clientName, takesChannel: takes }: Handshake): void {
    this.#version = version;
    this.#capabilities = capabilities;
    this.#clientName = clientName;
    this.#takesChannel = takes;
  }

  markInitialized(): void {
    this.#isInitialized = true;
    this.#lasting = undefined;
    this.onChange?.();
  }

  setLogLevel(level: LogLevel): void {
    this.#logLevel = level;
    this.onChange?.();
  }

  forgetRoots(): void {
    this.#roots.forget();
  }

  /** The requester of a legacy request. Questions about roots go out on the request's own lane. */
  legacyAsker(lane: Outbox): Asker {
    if (lane === this.#lasting?.lane) return this.#lasting.asker;
    const asker = new LegacyAsker(this, this.#legacyClient(lane));
    // A response's lane ends with it, and is not kept for longer.
    if (lane instanceof PipeLane) this.#lasting = { lane, asker };
    return asker;
  }

  #legacyClient(lane: Outbox): ClientContext {
    const limits = (): ClientLimits => (this.#limits ??= this.#profile.limitsFor(this.#clientName));
    return {
      ...this.#identity(this.#clientName),
      get limits() {
        return limits();
      },
      workspaceDir: () => this.#workspaceDir(lane),
      workspaceNow: this.#workspaceNow,
      workspaceKnown: this.#workspaceKnown,
      ...(this.#mayAskRoots ? { roots: () => this.#rootsFor(lane) } : {}),
    };
  }

  /** The requester of a modern request: only the identity of the connection, nothing of the session (docs/spec/modern.md#envelope). */
  modernAsker(envelope: Envelope): Asker {
    const { version, capabilities, clientName, logLevel } = envelope;
    const { fallbackDir } = this.#profile;
    const client = {
      ...this.#identity(clientName),
      limits: this.#profile.limitsFor(clientName),
      workspaceDir: () => Promise.resolve(this.#ownFolder ?? fallbackDir),
      workspaceKnown: () => this.#ownFolder ?? fallbackDir,
    };
    return { version, client, capabilities, logLevel };
  }

  #identity(
    name: string | undefined,
  ): Omit<ClientContext, "limits" | "workspaceDir" | "workspaceNow" | "workspaceKnown" | "roots"> {
    const { id, mayUse, ownPlace, owner, identity, workspaceName, isRemote } = this.#profile;
    const { servers } = this;
    const person = this.#profile.person?.();
    return {
      id,
      name,
      ...(person === undefined ? {} : { person }),
      ...(servers === undefined ? {} : { servers }),
      ...(mayUse === undefined ? {} : { mayUse }),
      ...(ownPlace === undefined ? {} : { ownPlace }),
      ...(owner === undefined ? {} : { owner }),
      ...(identity === undefined ? {} : { identity }),
      ...(workspaceName === undefined ? {} : { workspaceName }),
      ...(isRemote === true ? { isRemote } : {}),
    };
  }

  /** It may begin while the session lasts. */
  get #ownFolder(): string | undefined {
    return this.#profile.ownPlace?.()?.work;
  }

  get #mayAskRoots(): boolean {
    return this.#capabilities.roots && this.#isInitialized && this.#ownFolder === undefined;
  }

  /** Kept by others for longer than a lane lives. */
  readonly #workspaceNow = (): string =>
    this.#mayAskRoots ? this.#roots.known : (this.#ownFolder ?? this.#profile.fallbackDir);

  readonly #workspaceKnown = (): string | undefined =>
    !this.#mayAskRoots || this.#roots.isKnown ? this.#workspaceNow() : undefined;

  async #rootsFor(lane: Outbox): Promise<readonly string[]> {
    return this.#mayAskRoots ? this.#roots.folders(lane) : [];
  }

  async #workspaceDir(lane: Outbox): Promise<string> {
    if (this.#mayAskRoots) return this.#roots.directory(lane);
    return this.#ownFolder ?? this.#profile.fallbackDir;
  }
}

/** The part of a session that does not change after `initialize`. JSON. */
export interface Handshake {
  readonly version: LegacyVersion;
  readonly capabilities: ClientCapabilities;
  readonly clientName?: string;
  readonly takesChannel: boolean;
}

/** The live session: `logging/setLevel` applies to calls in progress. */
class LegacyAsker implements Asker {
  readonly #session: Session;
  readonly version: LegacyVersion;
  readonly client: ClientContext;

  constructor(session: Session, client: ClientContext) {
    this.#session = session;
    this.version = session.version ?? legacyVersionLatest;
    this.client = client;
  }

  get capabilities(): ClientCapabilities {
    return this.#session.capabilities;
  }

  get logLevel(): LogLevel {
    return this.#session.logLevel;
  }
}

/** The subscriptions of a legacy session, each with the function that ends its watch. */
export class WatchedUris {
  readonly #stops = new Map<string, () => void>();
  readonly #onChange: () => void;

  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#stops.size;
  }

  has(uri: string): boolean {
    return this.#stops.has(uri);
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#stops.keys();
  }

  /** @param watch begins the watch and returns the function that ends it; not called for a watched URI */
  add(uri: string, watch: () => () => void): void {
    if (this.#stops.has(uri)) return;
    this.#stops.set(uri, watch());
    this.#onChange();
  }

  /** Watches a subscribed URI that was subscribed to elsewhere, and so is not watched here yet. */
  watch(uri: string, watch: () => () => void): void {
    this.#stops.get(uri)?.();
    this.#stops.set(uri, watch());
  }

  delete(uri: string): void {
    const stop = this.#stops.get(uri);
    if (stop === undefined) return;
    stop();
    this.#stops.delete(uri);
    this.#onChange();
  }

  clear(): void {
    for (const uri of this) this.delete(uri);
  }
}
