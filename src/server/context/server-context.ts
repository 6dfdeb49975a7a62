import { completionsPerSecondMax } from "../../base/limits.ts";
import type { ClientContext } from "../../calls/call.ts";
import type { ServerFeatures } from "../../calls/features.ts";
import { CallRate } from "./call-rate.ts";
import { ClientRequests } from "../connection/client-requests.ts";
import type { Connection } from "../connection/connection.ts";
import { InFlight } from "../connection/in-flight.ts";
import { LiveConnections } from "../connection/live-connections.ts";
import type { Outbox } from "../connection/outbox.ts";
import { type ClientProfile, Session } from "../connection/session.ts";
import { Subscriptions } from "../subscriptions/subscriptions.ts";
import { McpTasks } from "../tasks/mcp-tasks.ts";
import { ToolPages } from "./tool-pages.ts";

export interface ServerOptions {
  readonly features: ServerFeatures;
  /** Told to clients in the handshake, as they are then; at most 2 KB, because clients cut there. */
  readonly instructions: string | (() => string);
  /** 32 secret bytes that seal `requestState`; servers that share them take over each other's rounds. */
  readonly stateKey: () => Promise<Uint8Array>;
  /** The connections that accept unsolicited messages; absent = only the server needs them. */
  readonly connections?: LiveConnections;
  /** Told when a client says that it offers other folders. */
  readonly onRootsChanged?: (client: ClientContext) => void;
}

/** The state that all connections of one server share. Lives as long as the process; owned by the composition root. */
export class ServerContext {
  readonly features: ServerFeatures;
  readonly stateKey: () => Promise<Uint8Array>;
  readonly toolPages: ToolPages;
  readonly subscriptions: Subscriptions;
  readonly completionRate = new CallRate(completionsPerSecondMax);
  readonly #instructions: ServerOptions["instructions"];
  readonly #connections: LiveConnections;
  readonly onRootsChanged: (client: ClientContext) => void;
  #mcpTasks: McpTasks | undefined;

  constructor({ features, instructions, stateKey, connections, onRootsChanged }: ServerOptions) {
    if (features.skills !== undefined && features.resources === undefined) {
      throw new Error("Skills are read as resources: a server with skills has resources too.");
    }
    this.features = features;
    this.toolPages = new ToolPages(features);
    this.subscriptions = new Subscriptions(features, () => this.mcpTasks);
    this.#instructions = instructions;
    this.stateKey = stateKey;
    this.onRootsChanged = onRootsChanged ?? ((): void => {});
    this.#connections = connections ?? new LiveConnections();
  }

  get instructions(): string {
    return typeof this.#instructions === "string" ? this.#instructions : this.#instructions();
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

  get mcpTasks(): McpTasks {
    this.#mcpTasks ??= new McpTasks();
    return this.#mcpTasks;
  }
}

/** A connection and the server that serves it, as handlers know it. */
export interface ServedConnection extends Connection {
  readonly server: ServerContext;
}

export function createConnection(
  server: ServerContext,
  profile: ClientProfile,
  outbox: Outbox,
): ServedConnection {
  const clientRequests = new ClientRequests();
  const session = new Session(profile, clientRequests);
  const inFlight = new InFlight();
  return { server, outbox, session, clientRequests, inFlight, endsByNotification: true };
}
