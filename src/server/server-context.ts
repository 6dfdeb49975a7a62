import type { Router } from "../gateway/call.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import { encodeToolsListResult } from "../protocol/tools-list-codec.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";

/** What all connections of one server share. Lives as long as the process; owned by the composition root. */
export class ServerContext {
  readonly router: Router;
  /** Told to clients in the handshake; at most 2 KB, because clients cut there. */
  readonly instructions: string;
  #listedTools: readonly ToolListing[] | undefined;
  readonly #listJson = new Map<ProtocolVersion, string>();

  constructor(router: Router, instructions: string) {
    this.router = router;
    this.instructions = instructions;
  }

  /** The result of `tools/list` as JSON text, encoded once per revision until the router gives another array. */
  toolsListJson(version: ProtocolVersion): string {
    const listings = this.router.list();
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
