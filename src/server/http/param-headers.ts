import type { Router } from "../../calls/call.ts";
import { type ParamHeader, paramHeadersOf } from "../../protocol/headers.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";

/** The annotated arguments of each tool, read once for each list that the router gives. */
const known = new WeakMap<readonly ToolListing[], ReadonlyMap<string, readonly ParamHeader[]>>();

/** Looks up which arguments of a tool travel as headers too (docs/spec/modern.md#headers). */
export function paramHeadersLookup(router: Router): (toolName: string) => readonly ParamHeader[] {
  return (toolName) => headersOf(router.list()).get(toolName) ?? [];
}

function headersOf(listings: readonly ToolListing[]): ReadonlyMap<string, readonly ParamHeader[]> {
  const cached = known.get(listings);
  if (cached !== undefined) return cached;
  const headers = new Map<string, readonly ParamHeader[]>();
  for (const { name, inputSchema } of listings) {
    const reading = paramHeadersOf(inputSchema);
    if (reading.kind === "headers" && reading.headers.length > 0)
      headers.set(name, reading.headers);
  }
  known.set(listings, headers);
  return headers;
}
