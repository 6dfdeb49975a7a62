import type { ToolCall } from "../client/message.ts";
import { checkReply, checkTaken } from "./check-reply.ts";
import type { HttpClient } from "./http-client.ts";
import { headerOf } from "./http-reply.ts";
import { type Encode, encodeBare, encodeNotice, firstId, postEncoder } from "./request-text.ts";

/** `modern`: requests without a handshake, 2026-07-28. `legacy`: a session, 2025-11-25. */
export type Era = "modern" | "legacy";

const modernVersion = "2026-07-28";
const legacyVersion = "2025-11-25";
const clientInfo = { name: "bench", version: "1" };

/** Calls one tool over one connection, again and again, and checks every answer. */
export class Caller {
  readonly #client: HttpClient;
  readonly #encode: Encode;
  #id = firstId;

  constructor(client: HttpClient, encode: Encode) {
    this.#client = client;
    this.#encode = encode;
  }

  /** One call. Rejects when it is not answered as it should be. */
  async call(): Promise<void> {
    const id = this.#id++;
    checkReply(await this.#client.send(this.#encode(id)), id);
  }
}

/** Without state: the same for every connection. */
export function modernEncoder(url: URL, call: ToolCall): Encode {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": modernVersion,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": clientInfo,
  };
  const headers = {
    "mcp-protocol-version": modernVersion,
    "mcp-method": "tools/call",
    "mcp-name": call.name,
  };
  const params = { name: call.name, arguments: call.args, _meta: meta };
  return postEncoder(url, headers, { method: "tools/call", params });
}

/** A legacy session that has been begun. */
export class LegacySession {
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(url: URL, id: string) {
    this.#url = url;
    this.#headers = { "mcp-session-id": id, "mcp-protocol-version": legacyVersion };
  }

  /** `initialize` and `notifications/initialized`. */
  static async begin(client: HttpClient, url: URL): Promise<LegacySession> {
    const params = { protocolVersion: legacyVersion, capabilities: {}, clientInfo };
    const initialize = postEncoder(url, {}, { method: "initialize", params });
    const reply = await client.send(initialize(firstId));
    checkReply(reply, firstId);
    const id = headerOf(reply, "mcp-session-id");
    if (id === undefined) throw new Error("initialize was answered without Mcp-Session-Id");
    const session = new LegacySession(url, id);
    const notice = encodeNotice(url, session.#headers, "notifications/initialized");
    checkTaken(await client.send(notice));
    return session;
  }

  encoder(call: ToolCall): Encode {
    const params = { name: call.name, arguments: call.args };
    return postEncoder(this.#url, this.#headers, { method: "tools/call", params });
  }

  async end(client: HttpClient): Promise<void> {
    checkTaken(await client.send(encodeBare(this.#url, "DELETE", this.#headers)));
  }
}
