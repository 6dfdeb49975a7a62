import { onlyLong } from "../../fixtures/long-run.ts";
import type { ServerMessage } from "./server.ts";

export const legacyVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
export const modernVersion = "2026-07-28";

const [oldestVersion, ...newerVersions] = legacyVersions;
/** Where a test is about something else than what revisions differ in: the oldest, the newest, and the others in the long run. */
export const someLegacyVersions: readonly (typeof legacyVersions)[number][] = [
  oldestVersion,
  ...onlyLong(newerVersions.slice(0, -1)),
  ...newerVersions.slice(-1),
];

export const metaKeys = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscription: "io.modelcontextprotocol/subscriptionId",
} as const;

/** `_meta` of a request of the modern revision. */
export const envelope = {
  [metaKeys.version]: modernVersion,
  [metaKeys.capabilities]: {},
  [metaKeys.clientInfo]: { name: "e2e", version: "1" },
};

/** Parameters with a modern envelope. */
export function modern(params: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { ...params, _meta: envelope };
}

export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly uri?: string;
}

/** The content of a tool's result; a failure when the reply is an error. */
export function contentOf(message: ServerMessage): ContentBlock[] {
  const content = message.result?.["content"];
  if (!Array.isArray(content)) throw new Error(`no content in ${JSON.stringify(message)}`);
  return content as ContentBlock[];
}

/** All that a model reads of it. */
export function wholeTextOf(message: ServerMessage): string {
  return contentOf(message)
    .map((block) => block.text ?? "")
    .join("");
}

/**
 * Without the line that says how long a command took: on a busy machine any may take more than the second from which on
 * it is said.
 */
export function textOf(message: ServerMessage): string {
  // Behind another line of ours the end of that line is gone with it.
  const text = wholeTextOf(message).replace(
    /(^|\n)(exit code: .*|ended by .*)\ntook [\d.]+ s$/,
    "$1$2",
  );
  return /^took [\d.]+ s$/.test(text) ? "(no output)" : text.replace(/^took [\d.]+ s(?:\n|$)/m, "");
}

export function isError(message: ServerMessage): boolean {
  return message.result?.["isError"] === true;
}

export function structuredOf(message: ServerMessage): Record<string, unknown> {
  return (message.result?.["structuredContent"] ?? {}) as Record<string, unknown>;
}

/** Names of the tools of a `tools/list` reply. */
export function toolNames(message: ServerMessage): string[] {
  return toolsOf(message).map((tool) => String(tool["name"]));
}

export function toolsOf(message: ServerMessage): Record<string, unknown>[] {
  const tools = message.result?.["tools"];
  if (!Array.isArray(tools)) throw new Error(`no tools in ${JSON.stringify(message)}`);
  return tools as Record<string, unknown>[];
}
