import { completionsPerSecondMax } from "../base/limits.ts";
import type { ClientContext } from "../calls/call.ts";
import type { ServerFeatures } from "../calls/features.ts";
import { CallRate } from "./call-rate.ts";
import type { Connection } from "./connection.ts";
import { LiveConnections } from "./live-connections.ts";
import { Subscriptions } from "./subscriptions/subscriptions.ts";
import { McpTasks } from "./tasks/mcp-tasks.ts";
import { ToolPages } from "./tool-pages.ts";

export interface ServerOptions {
  readonly features: ServerFeatures;
  /** Told to clients in the handshake, as they are then; at most 2 KB, because clients cut there. */
  readonly instructions: string | (() => string);
  /** 32 secret bytes that seal `requestState`; servers that share them take over each other's rounds. */
  readonly stateKey: () => Promise<Uint8Array>;
  /** Those that may be told something unasked; absent = nobody but the server needs them. */
  readonly connections?: LiveConnections;
  /** Told when a client says that it offers other folders. */
  readonly onRootsChanged?: (client: ClientContext) => void;
}

/** What all connections of one server share. Lives as long as the process; owned by the composition root. */
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
    this.subscriptions = new Subscriptions(features);
    this.#instructions = instructions;
    this.stateKey = stateKey;
    this.onRootsChanged = onRootsChanged ?? ((): void => {});
    this.#connections = connections ?? new LiveConnections();
  }

  get instructions(): string {
    return typeof this.#instructions === "string" ? this.#instructions : this.#instructions();
  }

  /** A legacy session is ready: from now on it may be told something that it did not ask for. */
  admit(connection: Connection): void {
    this.subscriptions.admit(connection);
    this.#connections.add(connection);
  }

  /** The connection has ended, or begins anew. */
  release(connection: Connection): void {
    this.subscriptions.release(connection);
    this.#connections.delete(connection);
  }

  get mcpTasks(): McpTasks {
    this.#mcpTasks ??= new McpTasks();
    return this.#mcpTasks;
  }
}
