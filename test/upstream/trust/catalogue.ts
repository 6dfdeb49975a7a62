import type { RawTool, ServerCatalogue } from "../../../src/upstream/connect/connection.ts";

/** A tool with a schema. */
export function tool(name: string, more: Readonly<Record<string, unknown>> = {}): RawTool {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
    ...more,
  };
}

/** What a server offers, nothing unless it is said. */
export function catalogue(more: Partial<ServerCatalogue> = {}): ServerCatalogue {
  return {
    era: "legacy",
    protocolVersion: "2025-11-25",
    serverInfo: { name: "scripted", version: "1.0.0" },
    capabilities: { tools: {} },
    tools: [],
    prompts: [],
    resources: [],
    templates: [],
    isPrivate: false,
    problems: [],
    ...more,
  };
}
