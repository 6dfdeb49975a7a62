import {
  createMcpHandler,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod/v4";

const tool = { description: "echo", inputSchema: z.object({ message: z.string() }) };

/** The SDK wants a server for each modern request and for each session; what can be made once is. */
function createServer() {
  const server = new McpServer({ name: "sdk2", version: "1.0.0" });
  server.registerTool("echo", tool, ({ message }) => ({
    content: [{ type: "text", text: `Echo: ${message}` }],
  }));
  return server;
}

const modern = createMcpHandler(createServer);
const sessions = new Map();

async function beginSession(request) {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  await createServer().connect(transport);
  return transport.handleRequest(request);
}

function serve(request) {
  const session = sessions.get(request.headers.get("mcp-session-id"));
  if (session !== undefined) return session.handleRequest(request);
  const isModern = request.headers.get("mcp-protocol-version") === "2026-07-28";
  return isModern ? modern.fetch(request) : beginSession(request);
}

const { url } = Bun.serve({ hostname: "127.0.0.1", port: 0, development: false, fetch: serve });
console.log(`Listening on ${new URL("/mcp", url).href}`);
