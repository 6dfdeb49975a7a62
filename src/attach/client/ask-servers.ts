import { attachListMsMax } from "../../base/limits.ts";
import { startTimer } from "../../base/timer.ts";
import { attachProtocol, type ServerFacts, type ServerState } from "../messages.ts";
import { listPointers, removePointer, type ServerPointer } from "../run-folder.ts";
import { ServerConnection } from "./server-connection.ts";

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

/** What it holds, why that is not known, or undefined when it has ended. */
async function askServer(
  runFolder: string,
  pointer: ServerPointer,
): Promise<FoundServer | string | undefined> {
  const { promise, resolve } = Promise.withResolvers<FoundServer | string | undefined>();
  let facts: ServerFacts | undefined;
  const outcome = await ServerConnection.open(pointer, "look", {
    onMessage(message) {
      if (message.type === "hello") facts = message.server;
      if (message.type === "hello" && message.protocol !== attachProtocol) {
        resolve(otherVersion(message.server));
      }
      if (message.type === "state" && facts !== undefined) resolve({ facts, state: message.state });
    },
    onClose: () => resolve(undefined),
  });
  if (outcome.kind === "dead") await removePointer(runFolder, pointer).catch(() => {});
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

/** What is said of a server that cannot be spoken with. */
export function otherVersion({ pid, version }: ServerFacts): string {
  return `The server with pid ${pid} is version ${version}, which this program cannot talk to. Use that version's attach, or restart the server.`;
}
