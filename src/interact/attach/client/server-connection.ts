import { attachMessageBytesMax } from "../../../base/limits.ts";
import { connectTo } from "../connect.ts";
import { LineReader } from "../line-reader.ts";
import { attachProtocol, type ServerMessage, type TerminalMessage } from "../messages.ts";
import type { ServerPointer } from "../run-folder.ts";
import { SendQueue } from "../send-queue.ts";
import { readServerMessage } from "./read-server-message.ts";

export interface ServerConnectionHandlers {
  onMessage(message: ServerMessage): void;
  /** Called once, unless we closed it. */
  onClose(): void;
}

export type OpenOutcome =
  | { readonly kind: "connected"; readonly connection: ServerConnection }
  | { readonly kind: "dead" }
  | { readonly kind: "failed"; readonly reason: string };

/** A terminal's side of the connection to one server. */
export class ServerConnection {
  readonly #handlers: ServerConnectionHandlers;
  readonly #reader: LineReader;
  #socket: Bun.Socket | undefined;
  #queue: SendQueue | undefined;
  #isClosed = false;

  /** Connects and shows the key; the server says hello then. */
  static async open(
    { socket, key }: ServerPointer,
    mode: "terminal" | "look",
    handlers: ServerConnectionHandlers,
  ): Promise<OpenOutcome> {
    const connection = new ServerConnection(handlers);
    const outcome = await connectTo(socket, {
      onBytes: (chunk) => connection.#push(chunk),
      onDrain: () => connection.#queue?.drain(),
      onClose: () => connection.#end(),
    });
    if (outcome.kind !== "connected") return outcome;
    connection.#socket = outcome.socket;
    connection.#queue = new SendQueue(outcome.socket, () => connection.#end());
    connection.send({ type: "attach", protocol: attachProtocol, key, mode });
    return { kind: "connected", connection };
  }

  private constructor(handlers: ServerConnectionHandlers) {
    this.#handlers = handlers;
    this.#reader = new LineReader(attachMessageBytesMax, (line) => this.#takeLine(line));
  }

  send(message: TerminalMessage): void {
    if (!this.#isClosed) this.#queue?.send(message);
  }

  /** Leaves the server; the handlers hear nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#queue?.close();
    this.#socket?.end();
  }

  #push(chunk: Uint8Array): void {
    if (!this.#isClosed && !this.#reader.push(chunk)) this.#end();
  }

  /** A message that is not understood is one of a newer version, and left out. */
  #takeLine(line: string): boolean {
    const message = readServerMessage(line);
    if (message !== undefined && !this.#isClosed) this.#handlers.onMessage(message);
    return !this.#isClosed;
  }

  #end(): void {
    if (this.#isClosed) return;
    this.close();
    this.#handlers.onClose();
  }
}
