import { isObject } from "../base/values.ts";
import { extensionIds, readName } from "./client-capabilities.ts";
import type { Params } from "./json-rpc.ts";
import { discoverCacheHints } from "./list-parts.ts";
import {
  isAtLeast,
  isModernVersion,
  type LegacyVersion,
  modernVersions,
  type ProtocolVersion,
} from "./message.ts";
import { encodeComplete, serverInfoFor } from "./result-codec.ts";

export interface Handshake {
  readonly offered: OfferedCapabilities;
  /** Left out when empty. */
  readonly instructions: string;
}

export function encodeInitializeResult(
  version: LegacyVersion,
  { offered, instructions }: Handshake,
): string {
  return JSON.stringify({
    protocolVersion: version,
    capabilities: encodeCapabilities(offered, version),
    serverInfo: serverInfoFor(version),
    instructions: instructions || undefined,
  });
}

/** `supportedVersions` names modern revisions only: a legacy one could not be used with this request shape (docs/spec/modern.md#discovery). */
export function encodeDiscoverResult({ offered, instructions }: Handshake): string {
  const version = "2026-07-28";
  const members = {
    supportedVersions: modernVersions,
    capabilities: encodeCapabilities(offered, version),
    instructions: instructions || undefined,
  };
  return encodeComplete(members, version, { hints: discoverCacheHints });
}

/** The requests that a server answers; `listChanged` and the like say whether it reports changes. */
export interface OfferedCapabilities {
  readonly tools: { readonly listChanged: boolean };
  readonly resources?: { readonly listChanged: boolean };
  readonly prompts?: { readonly listChanged: boolean };
  readonly completions: boolean;
  /** The MCP tasks extension. */
  readonly tasks: boolean;
  /** The skills extension. */
  readonly skills: boolean;
  /** Apps of upstream servers are passed on; absent = they are not. */
  readonly apps?: boolean;
  /** Messages into the conversation, to clients that take them; absent = none. */
  readonly channel?: boolean;
}

/**
 * `ServerCapabilities` as the revision knows it (SH5). `logging` is always there: any
 * handler may send log messages to clients that ask for them.
 */
export function encodeCapabilities(offered: OfferedCapabilities, version: ProtocolVersion): Params {
  const { tools, resources, prompts, completions, channel = false } = offered;
  return {
    ...(completions && isAtLeast(version, "2025-03-26") ? { completions: {} } : {}),
    ...encodeExtensions(offered, version),
    ...(channel ? { experimental: { [channelCapability]: {} } } : {}),
    logging: {},
    ...(prompts === undefined ? {} : { prompts: listChanged(prompts) }),
    ...(resources === undefined
      ? {}
      : { resources: { subscribe: true, ...listChanged(resources) } }),
    tools: listChanged(tools),
  };
}

/**
 * `{}` means no settings (docs/spec/modern.md#discovery). Clients with apps and skills look for them in the answer to `initialize` too;
 * tasks are of modern revisions only, and revisions before 2025-06-18 have no `_meta` for the data that apps need.
 */
function encodeExtensions(
  { tasks, skills, apps = false }: OfferedCapabilities,
  version: ProtocolVersion,
): Params {
  const extensions = {
    ...(skills ? { [extensionIds.skills]: { directoryRead: true } } : {}),
    ...(tasks && isModernVersion(version) ? { [extensionIds.tasks]: {} } : {}),
    ...(apps && isAtLeast(version, "2025-06-18") ? { [extensionIds.apps]: {} } : {}),
  };
  return Object.keys(extensions).length === 0 ? {} : { extensions };
}

function listChanged(offered: { readonly listChanged: boolean }): Params {
  return offered.listChanged ? { listChanged: true } : {};
}

/** Experimental capability of hosts that put messages of servers into the conversation, as Claude Code does. */
const channelCapability = "claude/channel";
export const channelMethod = "notifications/claude/channel";

/**
 * True when the client of this `initialize` takes channel messages: it declared so, or it is Claude Code, where servers
 * declare it and the user says at the start whose messages are shown (`--channels`).
 */
export function takesChannel(params: Params | undefined): boolean {
  const declared = isObject(params?.capabilities) ? params.capabilities.experimental : undefined;
  if (isObject(declared) && isObject(declared[channelCapability])) return true;
  return readName(params?.clientInfo)?.toLowerCase() === "claude-code";
}
