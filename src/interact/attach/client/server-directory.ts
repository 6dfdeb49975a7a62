import { type FSWatcher, watch } from "node:fs";

import { startTimer } from "../../../base/cancellation.ts";
import { messageOf } from "../../../base/errors.ts";
import { attachListMsMax, attachLookMs } from "../../../base/limits.ts";
import { connectTo, listPointers, removeDeadPointer, type ServerPointer } from "../run-folder.ts";
import {
  attachProtocol,
  type InstanceFacts,
  type InstanceState,
  type ServerMessage,
  type TerminalMessage,
} from "../messages.ts";
import { ServerConnection } from "./server-connection.ts";

export interface DirectoryHandlers {
  onMessage(serverId: string, message: ServerMessage): void;
  /** The server has gone, or was never reached. */
  onGone(serverId: string): void;
  /** Something keeps servers from being found or reached; undefined when it is over. */
  onProblem(problem: string | undefined): void;
}

/** Time for several files of one change to be written. */
const gatherMs = 30;

/** Keeps a connection to every server of the user that runs, while they come and go. */
export class ServerDirectory {
  readonly #runFolder: string;
  readonly #handlers: DirectoryHandlers;
  /** Undefined while it connects. */
  readonly #connections = new Map<string, ServerConnection | undefined>();
  readonly #problems = new Map<string, string>();
  /** Servers that take no answers from here, which does not change. */
  readonly #refusing = new Set<string>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #watcher: FSWatcher | undefined;
  #gathering: ReturnType<typeof setTimeout> | undefined;
  /** Counts `stop`: what was begun before one changes nothing after it. */
  #era = 0;

  constructor(runFolder: string, handlers: DirectoryHandlers) {
    this.#runFolder = runFolder;
    this.#handlers = handlers;
  }

  /** Resolves when the servers that run now were asked. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#look(), attachLookMs);
    this.#watchFolder();
    await this.#look();
  }

  /** Leaves all servers; `start` comes back to them. */
  stop(): void {
    this.#era++;
    clearInterval(this.#timer);
    clearTimeout(this.#gathering);
    this.#watcher?.close();
    this.#watcher = undefined;
    for (const connection of this.#connections.values()) connection?.[Symbol.dispose]();
    this.#connections.clear();
    this.#problems.clear();
  }

  send(serverId: string, message: TerminalMessage): void {
    this.#connections.get(serverId)?.send(message);
  }

  async #look(): Promise<void> {
    const era = this.#era;
    this.#watchFolder();
    try {
      const pointers = await listPointers(this.#runFolder);
      if (era !== this.#era) return;
      this.#problems.delete("");
      const isGone = (id: string): boolean => pointers.every(({ serverId }) => serverId !== id);
      for (const id of [...this.#problems.keys()].filter(isGone)) this.#problems.delete(id);
      await Promise.all(pointers.map((pointer) => this.#connect(pointer, era)));
    } catch (error) {
      if (era === this.#era) this.#problems.set("", messageOf(error));
    }
    if (era === this.#era) this.#handlers.onProblem([...this.#problems.values()][0]);
  }

  async #connect(pointer: ServerPointer, era: number): Promise<void> {
    const { serverId } = pointer;
    if (this.#connections.has(serverId) || this.#refusing.has(serverId)) return;
    this.#connections.set(serverId, undefined);
    let hasSpoken = false;
    const leave = (): void => {
      if (era !== this.#era) return;
      this.#connections.delete(serverId);
      this.#handlers.onGone(serverId);
      if (!hasSpoken) this.#tellProblem(serverId, closedFault(pointer.pid));
    };
    const take = (message: ServerMessage): void => {
      if (era !== this.#era) return;
      if (!hasSpoken) this.#tellProblem(serverId, undefined);
      hasSpoken = true;
      if (message.type === "refused") {
        this.#refusing.add(serverId);
        this.#tellProblem(serverId, refusedFault(pointer.pid, message.reason));
        return;
      }
      this.#handlers.onMessage(serverId, message);
    };
    const handlers = { onMessage: take, onClose: leave };
    const outcome = await ServerConnection.open(pointer, "terminal", handlers);
    if (outcome.kind === "dead") await removeDeadPointer(this.#runFolder, pointer).catch(() => {});
    if (era !== this.#era) {
      if (outcome.kind === "connected") outcome.connection[Symbol.dispose]();
      return;
    }
    if (outcome.kind === "connected") {
      // It may have closed it already.
      if (this.#connections.has(serverId)) this.#connections.set(serverId, outcome.connection);
      return;
    }
    this.#connections.delete(serverId);
    const problem = `The server with pid ${pointer.pid} cannot be reached: `;
    this.#tellProblem(
      serverId,
      outcome.kind === "failed" ? `${problem}${outcome.reason}.` : undefined,
    );
  }

  #tellProblem(serverId: string, problem: string | undefined): void {
    if (problem === undefined) this.#problems.delete(serverId);
    else this.#problems.set(serverId, problem);
    this.#handlers.onProblem([...this.#problems.values()][0]);
  }

  /** Servers are seen sooner than with the next look; where a folder cannot be watched, with that. */
  #watchFolder(): void {
    if (this.#watcher !== undefined) return;
    try {
      const watcher = watch(this.#runFolder, () => {
        clearTimeout(this.#gathering);
        this.#gathering = setTimeout(() => void this.#look(), gatherMs);
      });
      watcher.on("error", () => {
        watcher.close();
        if (this.#watcher === watcher) this.#watcher = undefined;
      });
      this.#watcher = watcher;
    } catch {
      // Not there yet: no server has run so far.
    }
  }
}

export interface FoundServer {
  readonly facts: InstanceFacts;
  readonly state: InstanceState;
}

export interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** Problems of servers that run and did not answer. */
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
function closedFault(pid: number): string {
  return `The server with pid ${pid} closed the connection: it has reached its limit of attached terminals, or it belongs to another user.`;
}

/** Why a server lets nobody answer from here. */
function refusedFault(pid: number, reason: string): string {
  return `The server with pid ${pid} accepts no answers from here: ${reason}. Run attach in a terminal of your own.`;
}
