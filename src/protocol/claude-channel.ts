import { readName } from "./envelope.ts";
import { isObject, type Params } from "./json-rpc.ts";

/** Experimental capability of hosts that put messages of servers into the conversation, as Claude Code does. */
export const channelCapability = "claude/channel";
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
