import type { RawTool } from "../connect/server-catalogue.ts";
import type { SchemaChecks } from "../schema/schema-checks.ts";
import type { UpstreamCall } from "../upstreams.ts";
import type { ManagedServer } from "./managed-server.ts";

/** What is wrong with the arguments of a call by the tool's schema, and what to do; undefined when they fit (CA1). */
export async function argumentsFault(
  server: string,
  tool: RawTool,
  args: unknown,
  checks: SchemaChecks,
): Promise<string | undefined> {
  const fault = await checks.check(tool.inputSchema, args ?? {});
  if (fault === undefined) return undefined;
  const { properties } = tool.inputSchema;
  const names = Object.keys(
    typeof properties === "object" && properties !== null ? properties : {},
  );
  const known = names.length === 0 ? "none" : names.slice(0, namesShownMax).join(", ");
  return `The arguments for ${tool.name} of the server ${server} do not fit its schema: ${fault}. It takes: ${known}.`;
}

/** The same for a call that is about to be made; undefined for what is no call of a tool that is known. */
export async function callFault(
  server: Pick<ManagedServer, "name" | "offer">,
  { method, params }: UpstreamCall,
  checks: SchemaChecks,
): Promise<string | undefined> {
  if (method !== "tools/call" || typeof params.name !== "string") return undefined;
  const judged = server.offer.tool(params.name);
  if (judged === undefined) return undefined;
  return argumentsFault(server.name, judged.item, params.arguments, checks);
}

/** A tool with more arguments than this is looked up with `tool_search`. */
const namesShownMax = 30;
