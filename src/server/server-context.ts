import type { ClientContext } from "../gateway/call.ts";
import type { ServerFeatures } from "../gateway/features.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import { encodeToolsListResult } from "../protocol/tools-list-codec.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import { McpTasks } from "./tasks/mcp-tasks.ts";

export interface ServerOptions {
  readonly features: ServerFeatures;
  /** Told to clients in the handshake; at most 2 KB, because clients cut there. */
  readonly instructions: string;
  /** 32 secret bytes that seal `requestState`; servers that share them take over each other's rounds. */
  readonly stateKey: () => Promise<Uint8Array>;
}

/** What all connections of one server share. Lives as long as the process; owned by the composition root. */
export class ServerContext {
  readonly features: ServerFeatures;
  readonly instructions: string;
  readonly stateKey: () => Promise<Uint8Array>;
  #mcpTasks: McpTasks | undefined;
  #listedTools: readonly ToolListing[] | undefined;
  readonly #listJson = new Map<ProtocolVersion, string>();

  constructor({ features, instructions, stateKey }: ServerOptions) {
    this.features = features;
    this.instructions = instructions;
    this.stateKey = stateKey;
  }

  get mcpTasks(): McpTasks {
    this.#mcpTasks ??= new McpTasks();
    return this.#mcpTasks;
  }

  /** The result of `tools/list` as JSON text, encoded once per revision until the router gives another array. */
  toolsListJson(version: ProtocolVersion, client: ClientContext): string {
    const listings = this.features.router.list();
    const { mayUse } = client;
    if (mayUse !== undefined) {
      const usable = listings.filter(({ name }) => mayUse(name));
      return encodeToolsListResult(usable, version, { ttlMs: 300_000, cacheScope: "private" });
    }
    if (listings !== this.#listedTools) {
      this.#listedTools = listings;
      this.#listJson.clear();
    }
    const cached = this.#listJson.get(version);
    if (cached !== undefined) return cached;
    const json = encodeToolsListResult(listings, version);
    this.#listJson.set(version, json);
    return json;
  }
}
