import { RatePerSecond } from "../../base/rate-per-second.ts";
import { completionsPerSecondMax } from "../../base/limits.ts";
import type { ClientContext } from "../../calls/call.ts";
import type { CallObserver } from "../../calls/call-observer.ts";
import type { ServerFeatures } from "../../calls/features.ts";
import { InFlight } from "../connection/active-request.ts";
import { ClientRequests, type RequestIds } from "../connection/client-requests.ts";
import type { Connection } from "../connection/connection.ts";
import type { Elsewhere } from "../connection/elsewhere.ts";
import { LiveConnections } from "../connection/live-connections.ts";
import type { Outbox } from "../connection/replies.ts";
import { type ClientProfile, Session } from "../connection/session.ts";
import { Subscriptions } from "../subscriptions/subscriptions.ts";
import type { McpTaskRecords, McpTasks } from "../tasks/mcp-tasks.ts";
import { ToolPages } from "./tool-pages.ts";

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
