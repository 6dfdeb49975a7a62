import { startTimer, type Timer } from "../../base/cancellation.ts";
import { upstreamChangeGatherMs } from "../../base/upstream-limits.ts";
import type { UpstreamEvent, Upstreams } from "../../upstream/upstreams.ts";
import type { ClientContext } from "../call.ts";
import type { Changes, CompletionProvider, PromptProvider } from "../features.ts";
import type { StateServices } from "../state-calls.ts";
import { CallResolver, type CallResolverParts } from "./call-resolver.ts";
import { type ExchangeParts, SuspendedCalls } from "./exchange.ts";
import type { HandOverParts } from "./handed-over.ts";
import { UpstreamCalls, type UpstreamCallsParts } from "./upstream-calls.ts";
import {
  type ListedFacts,
  listedKey,
  listedOf,
  UpstreamListings,
  type UpstreamListingsParts,
} from "./upstream-listings.ts";
import { ReachableUpstreams } from "./reachable-upstreams.ts";
import { JoinedCompletion, JoinedPrompts } from "./upstream-prompts.ts";
import { UpstreamResources } from "./upstream-resources.ts";
import { UpstreamSkills } from "./upstream-skills.ts";
import { UpstreamStage } from "./upstream-stage.ts";

/** The services behind the own tools that calls need. */
export interface GatewayServices
  extends HandOverParts, Pick<ExchangeParts, "watchers" | "addOutput"> {
  readonly questions: () => StateServices["questions"];
}

export interface UpstreamGatewayParts
  extends Omit<CallResolverParts, "upstreams">, Omit<UpstreamListingsParts, "upstreams"> {
  readonly upstreams: Upstreams;
  /** Absent for a part of the servers: the whole notifies of their changes too. */
  readonly changes?: Changes;
  /** Made when they are first needed. */
  readonly services: () => Promise<GatewayServices>;
  /** The own prompts, to which those of upstream servers are joined. */
  readonly prompts: PromptProvider;
  readonly completion: CompletionProvider;
}

/** All that clients see of upstream servers: lists, calls, resources, prompts, changes. */
export class UpstreamGateway implements Disposable {
  readonly resolver: CallResolver;
  readonly stage: UpstreamStage;
  readonly listings: UpstreamListings;
  readonly resources: UpstreamResources;
  readonly prompts: PromptProvider;
  readonly skills: UpstreamSkills;
  readonly completion: CompletionProvider;
  readonly #changes: UpstreamChanges | undefined;
  /** By the names of the servers that they show. */
  readonly #parted = new Map<string, UpstreamGateway>();
  readonly #suspended = new SuspendedCalls();
  readonly #parts: UpstreamGatewayParts;
  #calls: UpstreamCalls | undefined;

  constructor(parts: UpstreamGatewayParts) {
    this.#parts = parts;
    const { upstreams, changes } = parts;
    this.resolver = new CallResolver(parts);
    this.stage = new UpstreamStage(upstreams);
    this.#changes = changes && new UpstreamChanges(upstreams, changes);
    this.listings = new UpstreamListings({
      ...parts,
      onFirst: (first, isKept) => this.#changes?.note(first, isKept),
      onKnown: () => this.#changes?.othersAreGiven(),
    });
    const exchange = (): Promise<UpstreamCallsParts> => this.#callParts();
    const known = this.listings.known.bind(this.listings);
    const provided = { upstreams, known, exchange };
    this.resources = new UpstreamResources(provided);
    this.skills = new UpstreamSkills(provided);
    this.prompts = new JoinedPrompts(parts.prompts, provided);
    this.completion = new JoinedCompletion(parts.completion, provided);
  }

  /** The part of it that exists for a client: all, unless its token names servers (TM4). There are at most as many parts as such tokens. */
  for({ servers }: Pick<ClientContext, "servers">): UpstreamGateway {
    if (servers === undefined) return this;
    const key = JSON.stringify([...servers].sort());
    const known = this.#parted.get(key);
    if (known !== undefined) return known;
    // The whole must know what its first list was, to notice that it has changed.
    void this.listings.known();
    const { changes: _, keptLists: __, ...parts } = this.#parts;
    const upstreams = new ReachableUpstreams(parts.upstreams, servers);
    const part = new UpstreamGateway({ ...parts, upstreams });
    this.#parted.set(key, part);
    return part;
  }

  /** There are other upstream servers now: the next list waits for them as the first did. */
  awaitAgain(): void {
    for (const { listings } of [this, ...this.#parted.values()]) listings.awaitAgain();
  }

  /** The maker of calls, once its parts are made: mostly at once. */
  calls(): UpstreamCalls | Promise<UpstreamCalls> {
    return this.#calls ?? this.#makeCalls();
  }

  async #makeCalls(): Promise<UpstreamCalls> {
    const parts = await this.#callParts();
    return (this.#calls ??= new UpstreamCalls(parts));
  }

  async #callParts(): Promise<UpstreamCallsParts> {
    const { upstreams } = this.#parts;
    return { ...(await this.#parts.services()), upstreams, suspended: this.#suspended };
  }

  endClient(clientId: string): void {
    this.#suspended.endClient(clientId);
    this.resources.endClient(clientId);
    for (const part of this.#parted.values()) part.endClient(clientId);
    this.#parts.upstreams.endClient(clientId);
  }

  [Symbol.dispose](): void {
    this.#changes?.[Symbol.dispose]();
    for (const part of this.#parted.values()) part[Symbol.dispose]();
    this.#suspended[Symbol.dispose]();
  }
}

type ListKind = "tools" | "prompts" | "resources";

/**
 * Notifies clients of changes of upstream servers: of lists once for changes that come together, and of the list of tools only
 * when something that is listed has changed (CN14, DF5).
 */
class UpstreamChanges implements Disposable {
  readonly #upstreams: Pick<Upstreams, "snapshot" | "listen">;
  readonly #changes: Changes;
  readonly #waiting = new Set<ListKind>();
  readonly #stop: () => void;
  #timer: Timer | undefined;
  #listed: string | undefined;
  /** The first list was given before anything was known: nobody has any other list that could have changed. */
  #hasToolsAlone = false;

  constructor(upstreams: Pick<Upstreams, "snapshot" | "listen">, changes: Changes) {
    this.#upstreams = upstreams;
    this.#changes = changes;
    this.#stop = upstreams.listen((event) => this.#onEvent(event));
  }

  /** The first list is given now: nobody has anything yet that could have changed before. */
  note(facts: ListedFacts, hasToolsAlone: boolean): void {
    this.#listed = listedKey(listedOf(facts));
    this.#hasToolsAlone = hasToolsAlone;
    this.#waiting.clear();
  }

  /** Other lists may have been given by now. */
  othersAreGiven(): void {
    this.#hasToolsAlone = false;
  }

  [Symbol.dispose](): void {
    this.#stop();
    this.#timer?.stop();
  }

  #onEvent(event: UpstreamEvent): void {
    if (event.kind === "resource-updated") {
      return this.#changes.emit({ kind: "resource", uri: event.uri, isSeenByAll: true });
    }
    if (event.kind !== "snapshot" || this.#listed === undefined) return;
    const changed = this.#hasToolsAlone ? (["tools"] as const) : event.changed;
    for (const list of changed) this.#waiting.add(list === "servers" ? "tools" : list);
    if (this.#waiting.size > 0)
      this.#timer ??= startTimer(upstreamChangeGatherMs, () => this.#tell());
  }

  #tell(): void {
    this.#timer = undefined;
    const kinds = [...this.#waiting];
    this.#waiting.clear();
    for (const kind of kinds) {
      if (kind === "tools" && !this.#isListChanged()) continue;
      this.#changes.emit({ kind, isSeenByAll: true });
    }
  }

  /** Most servers and tools come and go without being listed. */
  #isListChanged(): boolean {
    const { snapshot } = this.#upstreams;
    if (snapshot === undefined) return false;
    const key = listedKey(listedOf(snapshot));
    if (key === this.#listed) return false;
    this.#listed = key;
    return true;
  }
}
