import { AppError } from "../../src/base/errors.ts";
import type { AskClient } from "../../src/calls/ask-client.ts";
import type { CallRequest, TaskSupport } from "../../src/calls/call.ts";
import type { CallToolResult, ContentBlock, ToolListing } from "../../src/protocol/tool-types.ts";

/** Arguments that fit the tool's schema as far as `fixture-arguments.ts` looks. */
export type FixtureArguments = Readonly<Record<string, unknown>>;

/** A tool that only tests the core: registered once, it serves every revision. */
export interface FixtureTool {
  readonly listing: ToolListing;
  /** Absent: never an MCP task. */
  readonly taskSupport?: TaskSupport;
  answer(call: CallRequest, args: FixtureArguments): CallToolResult | Promise<CallToolResult>;
}

/** The schema of tools without arguments. */
export const noArguments = { type: "object" } as const;

export function textResult(text: string): CallToolResult {
  return contentResult({ type: "text", text });
}

export function contentResult(...content: readonly ContentBlock[]): CallToolResult {
  return { content, isError: false };
}

export function errorResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** @throws AppError `unsupported` where nobody can be asked */
export function askOf(call: Pick<CallRequest, "ask">): AskClient {
  if (call.ask === undefined) throw new AppError("unsupported", "Nobody can be asked here.");
  return call.ask;
}
