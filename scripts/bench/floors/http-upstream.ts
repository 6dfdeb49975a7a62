/**
 * A server over HTTP with one tool, which is no more than it takes to be one; a process of its own, because whoever
 * measures blocks. Prints its URL.
 */
const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "least", version: "1" },
  },
  "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
  "tools/call": { content: [{ type: "text", text: "echo" }] },
  ping: {},
};

async function answer(request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const { id, method } = (await request.json()) as { id?: unknown; method: string };
  if (id === undefined) return new Response(null, { status: 202 });
  const result = results[method];
  if (result !== undefined) return Response.json({ jsonrpc: "2.0", id, result });
  const error = { code: -32601, message: "Method not found" };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
}

const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
console.log(`Listening on ${new URL("/mcp", server.url).href}`);
