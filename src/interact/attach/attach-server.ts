import { chmod } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

import { randomHex } from "../../base/digests.ts";
import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { attachConnectionsMax, attachLookMs, attachStateMs } from "../../base/limits.ts";
import { fdOf } from "../../commands/process/socket-owner.ts";
import {
  ensureRunFolder,
  removePointer,
  type ServerPointer,
  socketPlaces,
  writePointer,
} from "./run-folder.ts";
import { type AttachSources, TerminalConnection } from "./terminal-connection.ts";
import type { TerminalQuestions } from "../questions/terminals.ts";

/** Names to listen at, best first: beside the pointer if possible. */
function listenPlaces(runFolder: string, serverId: string): readonly string[] {
  if (process.platform === "win32") return [`\\\\.\\pipe\\scorpiox-${serverId}`];
  return socketPlaces(runFolder, `${serverId}.sock`);
}

/** Has the folder of a place made, so that only this user reaches what is in it. */
async function preparePlace(place: string): Promise<void> {
  if (process.platform === "win32") return;
  await ensureRunFolder(join(place, ".."));
}

export interface AttachServerParts {
  /** Where terminals look for servers. */
  readonly runFolder: string;
  readonly sources: AttachSources;
  readonly questions: TerminalQuestions;
  /** False for a connection of another user; where the system does not tell, the key decides alone. */
  readonly isOwnUser: (fd: number) => boolean;
  /** Why nobody sits at the other end of a connection who may answer questions; undefined when somebody may. */
  readonly whyNoAnswers: (fd: number) => Promise<string | undefined>;
  readonly warn: (message: string) => void;
}

type Listener = Bun.UnixSocketListener<TerminalConnection | undefined>;

/** Listens for the terminals of this user at a private socket. */
export class AttachServer implements AsyncDisposable {
  readonly #parts: AttachServerParts;
  readonly #pointer: ServerPointer;
  readonly #listener: Listener;
  readonly #links: Set<TerminalConnection>;
  #stopListening: (() => void) | undefined;
  #looking: ReturnType<typeof setInterval> | undefined;
  #isLooking = false;
  /** Between two updates: a hundred changes a second are sent as ten. */
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** Something has changed since the last look began. */
  #isDue = false;

  /**
   * Listens, and then says where.
   * @throws AppError or a system error when it finds no private place
   */
  static async open(parts: AttachServerParts): Promise<AttachServer> {
    const { serverId } = parts.sources.facts;
    const key = randomHex(32);
    await ensureRunFolder(parts.runFolder);
    const links = new Set<TerminalConnection>();
    let server: AttachServer | undefined;
    const accept = (
      socket: Bun.Socket<TerminalConnection | undefined>,
    ): TerminalConnection | undefined => {
      const fd = fdOf(socket);
      if (links.size >= attachConnectionsMax || !parts.isOwnUser(fd)) return undefined;
      const link = new TerminalConnection(socket, {
        key,
        whyNoAnswers: () => parts.whyNoAnswers(fd),
        sources: parts.sources,
        questions: parts.questions,
        onAttached: () => void server?.look(),
      });
      links.add(link);
      return link;
    };
    const { listener, socket } = await listen(
      listenPlaces(parts.runFolder, serverId),
      accept,
      (link) => links.delete(link),
    );
    const pointer: ServerPointer = { serverId, pid: process.pid, host: hostname(), socket, key };
    server = new AttachServer(parts, pointer, listener, links);
    try {
      await writePointer(parts.runFolder, pointer);
    } catch (error) {
      // Nobody would find the socket, not even to remove it.
      await server[Symbol.asyncDispose]().catch(() => {});
      throw error;
    }
    return server;
  }

  private constructor(
    parts: AttachServerParts,
    pointer: ServerPointer,
    listener: Listener,
    links: Set<TerminalConnection>,
  ) {
    this.#parts = parts;
    this.#pointer = pointer;
    this.#listener = listener;
    this.#links = links;
    listener.unref();
  }

  /** Tells the terminals what has changed, and goes on looking as long as there are any. */
  async look(): Promise<void> {
    this.#watch();
    this.#isDue = this.#isLooking || this.#pause !== undefined;
    if (this.#links.size === 0 || this.#isDue) return;
    this.#isLooking = true;
    try {
      const state = await this.#parts.sources.state();
      const text = JSON.stringify(state);
      for (const link of this.#links) link.sendState(state, text);
    } catch (error) {
      this.#parts.warn(`Cannot send the state to attached terminals: ${messageOf(error)}`);
    } finally {
      this.#isLooking = false;
    }
    this.#pause = setTimeout(() => this.#goOn(), attachStateMs).unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unwatch();
    for (const link of this.#links) link[Symbol.dispose]();
    this.#listener.stop(true);
    await removePointer(this.#parts.runFolder, this.#pointer);
  }

  #goOn(): void {
    this.#pause = undefined;
    if (this.#isDue) void this.look();
  }

  #watch(): void {
    if (this.#links.size === 0) return this.#unwatch();
    this.#stopListening ??= this.#parts.sources.listen(() => void this.look());
    this.#looking ??= setInterval(() => void this.look(), attachLookMs).unref();
  }

  #unwatch(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    clearInterval(this.#looking);
    clearTimeout(this.#pause);
    this.#looking = undefined;
    this.#pause = undefined;
  }
}

/** Listens at the first available place. */
async function listen(
  places: readonly string[],
  accept: (socket: Bun.Socket<TerminalConnection | undefined>) => TerminalConnection | undefined,
  onClosed: (link: TerminalConnection) => void,
): Promise<{ readonly listener: Listener; readonly socket: string }> {
  const failures: string[] = [];
  for (const socket of places) {
    try {
      await preparePlace(socket);
      const listener = listenAt(socket, accept, onClosed);
      if (process.platform !== "win32") await chmod(socket, 0o600);
      return { listener, socket };
    } catch (error) {
      failures.push(`${socket}: ${systemCodeOf(error) ?? messageOf(error)}`);
    }
  }
  throw new AppError("system", failures.join("; "));
}

function listenAt(
  socket: string,
  accept: (socket: Bun.Socket<TerminalConnection | undefined>) => TerminalConnection | undefined,
  onClosed: (link: TerminalConnection) => void,
): Listener {
  const drop = ({ data }: Bun.Socket<TerminalConnection | undefined>): void => {
    if (data === undefined) return;
    onClosed(data);
    data[Symbol.dispose]();
  };
  return Bun.listen<TerminalConnection | undefined>({
    unix: socket,
    data: undefined,
    socket: {
      open(connection) {
        connection.data = accept(connection);
        if (connection.data === undefined) connection.end();
      },
      data: (connection, chunk) => connection.data?.push(chunk),
      drain: (connection) => connection.data?.drain(),
      close: drop,
      error: drop,
    },
  });
}
