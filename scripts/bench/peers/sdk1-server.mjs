import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
import { runCommand } from "./run-command.mjs";

const server = new McpServer({ name: "sdk1", version: "1.0.0" });
server.registerTool(
  "echo",
  { description: "echo", inputSchema: { message: z.string() } },
  ({ message }) => ({ content: [{ type: "text", text: `Echo: ${message}` }] }),
);
server.registerTool(
  "Bash",
  { description: "run", inputSchema: { command: z.string() } },
  ({ command }) => runCommand(command),
);
await server.connect(new StdioServerTransport());
