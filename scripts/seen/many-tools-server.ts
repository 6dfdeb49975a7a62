/** An MCP server on a pipe with more tools than some clients take, with the longest names that we let through and one long description. */
import { createInterface } from "node:readline";

/** Characters that `mcp__many__` leaves of the 44 that a name may have. */
const nameChars = 33;
const manyTools = 150;
const longDescriptionChars = 12_000;

if (import.meta.main) {
  const tools = Array.from({ length: manyTools }, (_, index) => ({
    name: `tool_${String(index).padStart(3, "0")}_`.padEnd(nameChars, "x"),
    description: index === 0 ? "long ".repeat(longDescriptionChars / 5) : `Tool ${index}.`,
    inputSchema: { type: "object", properties: {} },
  }));
  const resultOf = (
    method: string,
    params: Readonly<Record<string, unknown>>,
  ): object | undefined => {
    if (method === "ping") return {};
    if (method === "tools/list") return { tools };
    if (method !== "initialize") return undefined;
    const serverInfo = { name: "many", version: "1.0.0" };
    return { protocolVersion: params["protocolVersion"], capabilities: { tools: {} }, serverInfo };
  };
  const input = createInterface({ input: process.stdin });
  input.on("line", (line) => {
    const {
      id,
      method,
      params = {},
    } = JSON.parse(line) as {
      id?: number;
      method: string;
      params?: Record<string, unknown>;
    };
    if (id === undefined) return;
    const result = resultOf(method, params);
    const error = { code: -32601, message: `no ${method} here` };
    const reply = result === undefined ? { error } : { result };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...reply })}\n`);
  });
  input.on("close", () => process.exit(0));
}
