/** A server behind the official SDK's client over stdio, as the users of most clients have it. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import fs from "node:fs";
import { nowMs } from "./clock.ts";
import type { ToolCall } from "./message.ts";
import type { Launch } from "./spawn.ts";

export class OfficialClient {
  private readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  /** Starts the server; its tools have been listed. */
  static async open({ command, env, cwd, stderrFile }: Launch): Promise<OfficialClient> {
    const [program = "", ...args] = command;
    const stderr = fs.openSync(stderrFile, "a");
    const client = new Client({ name: "bench", version: "1" });
    try {
      await client.connect(new StdioClientTransport({ command: program, args, env, cwd, stderr }));
    } finally {
      fs.closeSync(stderr);
    }
    await client.listTools();
    return new OfficialClient(client);
  }

  /** Ms of one call. Rejects when it fails. */
  async time({ name, args }: ToolCall): Promise<number> {
    const sentAtMs = nowMs();
    const { isError, content } = await this.client.callTool({ name, arguments: args });
    const tookMs = nowMs() - sentAtMs;
    if (isError === true) throw new Error(`the call failed: ${JSON.stringify(content)}`);
    return tookMs;
  }

  close(): void {
    this.client.close().catch(() => {});
  }
}
