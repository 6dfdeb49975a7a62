import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import * as z from "zod/v4";
import { runCommand } from "./run-command.mjs";

const server = new McpServer({ name: "sdk2", version: "1.0.0" });
server.registerTool(
  "echo",
  { description: "echo", inputSchema: z.object({ message: z.string() }) },
  ({ message }) => ({ content: [{ type: "text", text: `Echo: ${message}` }] }),
);
server.registerTool(
  "Bash",
  { description: "run", inputSchema: z.object({ command: z.string() }) },
  ({ command }) => runCommand(command),
);
await server.connect(new StdioServerTransport());
