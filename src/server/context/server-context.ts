import { RatePerSecond } from "../../base/rate-per-second.ts";
import { completionsPerSecondMax, toolsPerPageMax } from "../../base/limits.ts";
import type { ClientContext } from "../../calls/call.ts";
import type { CallObserver } from "../../calls/call-observer.ts";
import type { ServerFeatures } from "../../calls/features.ts";
import {
  type CacheHints,
  changingListCacheHints,
  cutListPage,
  fixedListCacheHints,
  stricterHints,
  toolsListCacheHints,
} from "../../protocol/list-parts.ts";
import type { ProtocolVersion } from "../../protocol/message.ts";
import { encodeToolsListResult } from "../../protocol/result-codec.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import { InFlight } from "../connection/active-request.ts";
import { ClientRequests, type RequestIds } from "../connection/client-requests.ts";
import type { Connection } from "../connection/connection.ts";
import type { Elsewhere } from "../connection/elsewhere.ts";
import { LiveConnections } from "../connection/live-connections.ts";
import type { Outbox } from "../connection/replies.ts";
import { type ClientProfile, Session } from "../connection/session.ts";
import { Subscriptions } from "../subscriptions/subscriptions.ts";
import type { McpTaskRecords, McpTasks } from "../tasks/mcp-tasks.ts";

export interface ServerContextOptions {
  readonly features: ServerFeatures;
  /**
   * The instructions that clients get in the handshake, as they are then; at most 2 KB, because clients cut there. `servers`: the
   * upstream servers that exist for the client.
   */
  readonly instructions: string | ((servers: ReadonlySet<string> | undefined) => string);
  /**
   * 32 secret bytes that seal `requestState`; servers that share them take over each other's rounds. Of several the first seals, and
   * all open.
   */
  readonly stateKey: () => Promise<Uint8Array | readonly Uint8Array[]>;
  /**
   * Records the use of a `requestState`, by its digest; false when it was used before. Absent: as long as this process lives.
   * @throws AppError when it cannot be recorded
   */
  readonly claimState?: (use: string, expiresAtMs: number) => Promise<boolean>;
  /** The connections that accept unsolicited messages; absent = only the server needs them. */
  readonly connections?: LiveConnections;
  /** Called when a client says that it offers other folders. */
  readonly onRootsChanged?: (client: ClientContext) => void;
  /** Watches every request; absent = nobody watches. */
  readonly observer?: CallObserver | undefined;
}

/** The state that all connections of one server share. Lives as long as the process; owned by the composition root. */
export class ServerContext {
  readonly features: ServerFeatures;
  readonly stateKey: ServerContextOptions["stateKey"];
  readonly claimState: ServerContextOptions["claimState"];
  readonly toolPages: ToolPages;
  readonly subscriptions: Subscriptions;
  readonly completionRate = new RatePerSecond(completionsPerSecondMax);
  readonly #instructions: ServerContextOptions["instructions"];
  readonly #connections: LiveConnections;
  readonly onRootsChanged: (client: ClientContext) => void;
  readonly observer: CallObserver | undefined;
  /** See `mcpTasksOf`. */
  mcpTasks: McpTasks | undefined;
  /** Undefined: MCP tasks live as long as this process. */
  mcpTaskRecords: McpTaskRecords | undefined;
  /** The other replicas; undefined for a server alone. */
  elsewhere: Elsewhere | undefined;

  constructor({
    features,
    instructions,
    stateKey,
    claimState,
    connections,
    onRootsChanged,
    observer,
  }: ServerContextOptions) {
    if (features.skills !== undefined && features.resources === undefined) {
      throw new Error("Skills are read as resources: a server with skills has resources too.");
    }
    this.features = features;
    this.toolPages = new ToolPages(features);
    this.subscriptions = new Subscriptions(features);
    this.#instructions = instructions;
    this.stateKey = stateKey;
    this.claimState = claimState;
    this.observer = observer;
    this.onRootsChanged = onRootsChanged ?? ((): void => {});
    this.#connections = connections ?? new LiveConnections();
  }

  instructionsFor(servers: ReadonlySet<string> | undefined): string {
    return typeof this.#instructions === "string"
      ? this.#instructions
      : this.#instructions(servers);
  }

  /** A legacy session is ready: from now on it accepts unsolicited messages. */
  admit(connection: Connection): void {
    this.subscriptions.admit(connection);
    this.#connections.add(connection);
  }

  /** The connection has ended, or begins again. */
  release(connection: Connection): void {
    this.subscriptions.release(connection);
    this.#connections.delete(connection);
  }
}

/** A connection and the server that serves it, as handlers know it. */
export interface ServedConnection extends Connection {
  readonly server: ServerContext;
}

/** The members of a connection over HTTP, and of a replica, that others do without. */
interface ConnectionExtras extends Pick<Connection, "caller" | "holdsStream"> {
  /** See `ClientRequests`. */
  readonly ids?: RequestIds;
}

export function createConnection(
  server: ServerContext,
  profile: ClientProfile,
  outbox: Outbox,
  { ids, ...shared }: ConnectionExtras = {},
): ServedConnection {
  const clientRequests = new ClientRequests(ids);
  const session = new Session(profile, clientRequests);
  const inFlight = new InFlight();
  const endsByNotification = true;
  return { server, outbox, session, clientRequests, inFlight, endsByNotification, ...shared };
}

/** Time in milliseconds that never goes back; tests bring their own. */
/** The results of `tools/list` as JSON text; a list of one page is encoded once for each revision, as long as their provider gives the same array. */
export class ToolPages {
  readonly #features: ServerFeatures;
  /** Pages by the list that they show; of each list by revision, and how long they may be kept. */
  readonly #json = new WeakMap<readonly ToolListing[], Map<string, string>>();

  constructor(features: ServerFeatures) {
    this.#features = features;
  }

  /**
   * Undefined for a cursor that is not of this list. A client that may not use all tools sees its own list. A promise
   * where the tools are listed for each client.
   */
  page(
    version: ProtocolVersion,
    client: ClientContext,
    cursor: unknown,
    showsApps = false,
  ): string | undefined | Promise<string | undefined> {
    const { tools } = this.#features;
    const listing = tools.listFor?.(client, version, showsApps);
    if (listing === undefined) return this.#page(tools.list(), version, client, cursor);
    return listing.then((listings) => this.#page(listings, version, client, cursor));
  }

  #page(
    listings: readonly ToolListing[],
    version: ProtocolVersion,
    { mayUse, servers }: ClientContext,
    cursor: unknown,
  ): string | undefined {
    if (mayUse !== undefined || servers !== undefined) {
      const usable = listings.filter(({ name }) => mayUse?.(name) !== false);
      return this.#encode(usable, version, cursor, true);
    }
    if (cursor !== undefined || listings.length > toolsPerPageMax) {
      return this.#encode(listings, version, cursor);
    }
    return this.#wholeList(listings, version);
  }

  #wholeList(listings: readonly ToolListing[], version: ProtocolVersion): string | undefined {
    const jsons = this.#json.get(listings) ?? new Map<string, string>();
    this.#json.set(listings, jsons);
    const { ttlMs, cacheScope } = listCacheHints(this.#features, "tools", {});
    const key = `${version} ${ttlMs} ${cacheScope}`;
    const known = jsons.get(key);
    if (known !== undefined) return known;
    const json = this.#encode(listings, version, undefined);
    if (json !== undefined) jsons.set(key, json);
    return json;
  }

  #encode(
    entries: readonly ToolListing[],
    version: ProtocolVersion,
    cursor: unknown,
    isPrivate = false,
  ): string | undefined {
    const list = { name: "tools", entries, keyOf: ({ name }: ToolListing) => name };
    const page = cutListPage(list, cursor, toolsPerPageMax);
    if (page === undefined) return undefined;
    const cacheHints = listCacheHints(this.#features, "tools", {});
    const hints = isPrivate ? ({ ...cacheHints, cacheScope: "private" } as const) : cacheHints;
    return encodeToolsListResult(page.items, version, { hints, nextCursor: page.nextCursor });
  }
}

type FeatureName = "resources" | "prompts" | "completion" | "skills";

/** A feature for the handlers of its methods, which exist only where it is offered (`Method.needs`). */
export function featureOf<Name extends FeatureName>(
  { server }: ServedConnection,
  name: Name,
): NonNullable<ServerFeatures[Name]> {
  const feature = server.features[name];
  if (feature === undefined) throw new Error(`${name} is not offered, and yet it was asked for`);
  return feature;
}

type ListKind = "tools" | "prompts" | "resources" | "skills";

/** How long a client may keep a list; the same on all its pages (docs/spec/modern.md#caching). */
export function listCacheHints(
  features: ServerFeatures,
  kind: ListKind,
  client: Pick<ClientContext, "servers">,
): CacheHints {
  const own = hintsOf(features, kind);
  const joined = kind === "skills" ? undefined : features.joinedHints?.();
  const hints = joined === undefined ? own : stricterHints(own, joined);
  // A token that is limited to some MCP servers has a list of its own.
  return client.servers === undefined ? hints : { ...hints, cacheScope: "private" };
}

function hintsOf({ changing }: ServerFeatures, kind: ListKind): CacheHints {
  if (kind !== "skills" && changing.has(kind)) return changingListCacheHints;
  return kind === "tools" ? toolsListCacheHints : fixedListCacheHints;
}
