import type { Params } from "../protocol/json-rpc.ts";
import type { CacheHints } from "../protocol/list-parts.ts";
import type { PromptListing, PromptResult } from "../protocol/prompts.ts";
import type {
  ResourceContents,
  ResourceListing,
  ResourceTemplateListing,
} from "../protocol/resource-types.ts";
import type { SkillEntry } from "../protocol/skills.ts";
import type { ClientContext, RequestContext, ToolProvider } from "./call.ts";

/**
 * The features that a server offers its clients. An absent one is not declared, and its methods do not exist.
 * `compose/create-server-context.ts` makes one for the product, the conformance fixture another; `server/` knows neither.
 */
export interface ServerFeatures {
  readonly tools: ToolProvider;
  readonly resources?: ResourceProvider;
  readonly prompts?: PromptProvider;
  readonly completion?: CompletionProvider;
  readonly skills?: SkillProvider;
  /** Notifies connections of changes. */
  readonly changes: Changes;
  /** Lists that may change while the server lives: `listChanged` is declared for these. */
  readonly changing: ReadonlySet<"tools" | "prompts" | "resources">;
  /** The hints of entries that are joined to lists from elsewhere; undefined as long as there are none. */
  readonly joinedHints?: () => CacheHints | undefined;
}

/** Lists are whole: the core cuts them into pages. */
export interface ResourceProvider {
  list(client: ClientContext): Promise<readonly ResourceListing[]>;
  templates(client: ClientContext): Promise<readonly ResourceTemplateListing[]>;
  /** Undefined when there is no such resource. `uri` is a valid URI. May ask the client. */
  read(uri: string, context: RequestContext): Promise<ResourceReading | undefined>;
  /** Somebody is about to subscribe to these: asks those that are far away whether they can. Undefined: nobody is. */
  prepareWatch?(uris: readonly string[], client: ClientContext): Promise<void> | undefined;
  /** False when nothing would ever be said of this URI. */
  canSubscribe(uri: string, client: ClientContext): boolean;
  /**
   * A client has subscribed to `uri`: a resource that does not report its changes is watched from now on, and each change
   * is reported to `changes`. Returns a function that ends the watch; absent: all resources report their changes.
   */
  watch?(uri: string, client: ClientContext): () => void;
}

export interface ResourceReading {
  /** Never empty. */
  readonly contents: readonly ResourceContents[];
  /** Absent: not to be kept (`ttlMs` 0, private). */
  readonly cacheHints?: CacheHints;
}

export interface PromptProvider {
  list(client: ClientContext): Promise<readonly PromptListing[]>;
  /**
   * The core has checked that the prompt is listed, that required arguments are there and that all are strings.
   * May ask the client.
   */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    context: RequestContext,
  ): Promise<PromptResult>;
}

/** The text being typed, and its place. */
export interface CompletionRequest {
  readonly ref:
    | { readonly kind: "prompt"; readonly name: string }
    | { readonly kind: "resource"; readonly uriTemplate: string };
  readonly argumentName: string;
  readonly typed: string;
  /** Arguments that have been filled in before. */
  readonly others: Readonly<Record<string, string>>;
}

export interface CompletionProvider {
  /** All that fits, best first: the core cuts to 100. Undefined when there is no such prompt or template. */
  complete(
    request: CompletionRequest,
    client: ClientContext,
  ): Promise<readonly string[] | undefined>;
}

/** The skills extension (docs/spec/modern.md#skills). The files themselves are resources. */
export interface SkillProvider {
  list(client: ClientContext): Promise<readonly SkillEntry[]>;
  /** Direct children of a directory; undefined when it is not one. */
  directory(uri: string, client: ClientContext): Promise<readonly ResourceListing[] | undefined>;
}

/** A change of something that clients may have cached or subscribed to. */
export type Change =
  | ({ readonly kind: "tools" | "prompts" | "resources" } & ChangeTraits)
  | ({ readonly kind: "resource"; readonly uri: string } & ChangeTraits);

interface ChangeTraits {
  /** Only this client can see it; absent = all can. */
  readonly clientId?: string;
  /** Every replica of a fleet may see it for itself: a file that they share, or an MCP server that each is connected to. */
  readonly isSeenByAll?: true;
}

type ChangeListener = (change: Change) => void;

/** Changes of the server's offers, for connections and subscriptions. Lives as long as the process. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>();
  /** In a fleet: takes a change to all replicas, this one too, which then `deliver` it. False when it cannot. */
  route: ((change: Change) => boolean) | undefined;

  /** Returns how to stop listening. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** False while nothing listens. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  readonly emit = (change: Change): void => {
    if (this.route?.(change) !== true) this.deliver(change);
  };

  /** Tells those who listen here. */
  readonly deliver = (change: Change): void => {
    for (const listener of this.#listeners) listener(change);
  };
}

/** A connected client that may be sent notifications. */
export interface ReachableClient {
  /**
   * Sends a message into the conversation of a client that takes them (docs/callbacks.md). False when this one does
   * not, or does not read just now.
   */
  pushToChannel(content: string, meta: Readonly<Record<string, string>>): boolean;
  /** Sends a log message of level `info`. False when the client wants none of that level, or does not read just now. */
  logInfo(logger: string, data: unknown): boolean;
  /** The client declared that its model may be asked, and reads just now. */
  readonly canSample: boolean;
  /**
   * Its answer to `sampling/createMessage`, unchecked.
   * @throws AppError `system` when the client refused, `cancelled` when it did not answer or is gone
   */
  sample(params: Params): Promise<unknown>;
}

/** Finds the connections of a client identity. */
export interface ClientReach {
  /** The connections of a client that have finished their handshake; none for clients of the modern revision. */
  connectionsOf(clientId: string): readonly ReachableClient[];
}
