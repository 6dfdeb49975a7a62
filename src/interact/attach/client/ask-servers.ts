import { startTimer } from "../../../base/cancellation.ts";
import { attachListMsMax } from "../../../base/limits.ts";
import { connectTo } from "../connect.ts";
import {
  attachProtocol,
  type InstanceFacts,
  type ServerMessage,
  type InstanceState,
} from "../messages.ts";
import { listPointers, removeDeadPointer, type ServerPointer } from "../run-folder.ts";
import { ServerConnection } from "./server-connection.ts";

export interface FoundServer {
  readonly facts: InstanceFacts;
  readonly state: InstanceState;
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** Of servers that run and did not answer. */
  readonly problems: readonly string[];
}

/**
 * Asks every server of the user once what it holds.
 * @throws AppError `system` when the folder of the servers cannot be read
 */
export async function askServers(runFolder: string): Promise<FoundServers> {
  const pointers = await listPointers(runFolder);
  const answers = await Promise.all(pointers.map((pointer) => askServer(runFolder, pointer)));
  return {
    servers: answers
      .filter((answer) => typeof answer === "object")
      .toSorted((one, other) => one.facts.startedAt - other.facts.startedAt),
    problems: answers.filter((answer) => typeof answer === "string"),
  };
}

/** The server's state, the reason why it is unknown, or undefined when the server has ended. */
async function askServer(
  runFolder: string,
  pointer: ServerPointer,
): Promise<FoundServer | string | undefined> {
  const { promise, resolve } = Promise.withResolvers<FoundServer | string | undefined>();
  let facts: InstanceFacts | undefined;
  const outcome = await ServerConnection.open(pointer, "look", {
    onMessage(message) {
      if (message.type === "hello") facts = message.server;
      const fault = message.type === "hello" ? faultOf(message) : undefined;
      if (fault !== undefined) resolve(fault);
      if (message.type === "state" && facts !== undefined) resolve({ facts, state: message.state });
    },
    onClose: () => resolve(reasonOfClosing(pointer)),
  });
  if (outcome.kind === "dead") await removeDeadPointer(runFolder, pointer).catch(() => {});
  if (outcome.kind === "failed") return `Server ${pointer.pid}: ${outcome.reason}.`;
  if (outcome.kind !== "connected") return undefined;
  const timer = startTimer(attachListMsMax, () =>
    resolve(`The server with pid ${pointer.pid} did not answer within ${attachListMsMax} ms.`),
  );
  try {
    return await promise;
  } finally {
    timer.stop();
    outcome.connection[Symbol.dispose]();
  }
}

/** A server that has ended has no reason. */
async function reasonOfClosing({ socket, pid }: ServerPointer): Promise<string | undefined> {
  const ignore = (): void => {};
  const outcome = await connectTo(socket, { onBytes: ignore, onDrain: ignore, onClose: ignore });
  if (outcome.kind === "dead") return undefined;
  if (outcome.kind === "connected") outcome.socket.end();
  return closedFault(pid);
}

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
