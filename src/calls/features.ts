import type { CacheHints } from "../protocol/cache-hints.ts";
import type { PromptListing, PromptResult } from "../protocol/prompt-types.ts";
import type {
  ResourceContents,
  ResourceListing,
  ResourceTemplateListing,
} from "../protocol/resource-types.ts";
import type { SkillEntry } from "../protocol/skill-types.ts";
import type { Router } from "./call.ts";
import type { ClientContext, RequestContext } from "./call.ts";
import type { Changes } from "./changes.ts";

/**
 * All that a server offers its clients. What is absent is not declared, and its methods do not exist.
 * The product, the gateway and the conformance fixture each make one; the core knows none of them.
 */
export interface ServerFeatures {
  readonly router: Router;
  readonly resources?: ResourceProvider;
  readonly prompts?: PromptProvider;
  readonly completion?: CompletionProvider;
  readonly skills?: SkillProvider;
  /** Tells connections what has changed. */
  readonly changes: Changes;
  /** Lists that may change while the server lives: `listChanged` is declared for these. */
  readonly changing: ReadonlySet<"tools" | "prompts" | "resources">;
  /** Of what is joined to lists from elsewhere; undefined as long as nothing is. */
  readonly joinedHints?: () => CacheHints | undefined;
  /** How long clients may keep lists; absent = as `protocol/cache-hints.ts` says. */
  readonly cacheHints?: CacheHints;
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
   * Somebody has subscribed to `uri`: what changes without telling is to be watched from now on, and what is
   * seen said to `changes`. Returns what ends that; absent: what changes tells by itself.
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

/** What is being typed, and where. */
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
  /** Direct children of a directory; undefined when it is none. */
  directory(uri: string, client: ClientContext): Promise<readonly ResourceListing[] | undefined>;
}
