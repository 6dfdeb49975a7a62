/** An MCP server on a pipe whose tools give every form that a result can have: what a client makes of each is recorded. */
import { createInterface } from "node:readline";

import { forms } from "./forms.ts";

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const input = createInterface({ input: process.stdin });
input.on("line", (line) => {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined || request.method === undefined) return;
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: "2.0", id: request.id, ...answer(request) })}\n`,
  );
});
input.on("close", () => process.exit(0));

function answer({ method, params = {} }: Request): object {
  if (method === "initialize") {
    const serverInfo = { name: "forms", version: "1.0.0" };
    const capabilities = { tools: {} };
    return { result: { protocolVersion: params["protocolVersion"], capabilities, serverInfo } };
  }
  if (method === "tools/list") return { result: { tools: forms.map(({ tool }) => tool) } };
  if (method === "tools/call") {
    const form = forms.find(({ tool }) => tool.name === params["name"]);
    if (form !== undefined) return { result: form.result };
  }
  if (method === "ping") return { result: {} };
  return { error: { code: -32601, message: `no ${method} here` } };
}
