import { attachListMsMax } from "../../../base/limits.ts";
import { startTimer } from "../../../base/timer.ts";
import { connectTo } from "../connect.ts";
import type { ServerFacts, ServerState } from "../messages.ts";
import { listPointers, removeDeadPointer, type ServerPointer } from "../run-folder.ts";
import { ServerConnection } from "./server-connection.ts";
import { closedFault, faultOf } from "./server-fault.ts";

export interface FoundServer {
  readonly facts: ServerFacts;
  readonly state: ServerState;
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
  let facts: ServerFacts | undefined;
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
    outcome.connection.close();
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
