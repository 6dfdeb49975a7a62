import { attachProtocol, type ServerMessage } from "../messages.ts";

/** Why a server cannot be spoken with; undefined when it can. */
export function faultOf({
  protocol,
  server,
}: Extract<ServerMessage, { type: "hello" }>): string | undefined {
  if (protocol === attachProtocol) return undefined;
  return `Version ${server.version} (pid ${server.pid}) is not compatible with this attach: use the attach of that version, or restart the server.`;
}

/** Why a server that runs closes a connection before it has said anything. */
export function closedFault(pid: number): string {
  return `The server with pid ${pid} closed the connection: it has reached its limit of attached terminals, or it belongs to another user.`;
}

/** Why a server lets nobody answer from here. */
export function refusedFault(pid: number, reason: string): string {
  return `The server with pid ${pid} accepts no answers from here: ${reason}. Run attach in a terminal of your own.`;
}
