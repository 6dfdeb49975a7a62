import * as z from "zod/mini";

import { backgroundStates, endReasons } from "../../../base/background-state.ts";
import { attachMessageBytesMax } from "../../../base/limits.ts";
import { connectTo, type ServerPointer } from "../run-folder.ts";
import { attachProtocol, type ServerMessage, type TerminalMessage } from "../messages.ts";
import { SocketLines, SendQueue } from "../socket-lines.ts";

const count = z.number();
const task = z.object({
  taskId: count,
  text: z.string(),
  isDone: z.boolean(),
  steps: z.array(z.object({ stepId: count, text: z.string(), isDone: z.boolean() })),
  stepCount: count,
  stepsDone: count,
});
const background = z.object({
  client: z.string(),
  taskId: count,
  command: z.string(),
  startedAt: count,
  state: z.enum(backgroundStates),
  exitCode: z.nullable(count),
  signal: z.nullable(z.string()),
  endedBy: z.nullable(z.enum(endReasons)),
  pid: count,
  runtimeMs: count,
});
const callback = z.object({
  client: z.string(),
  callbackId: count,
  message: z.string(),
  delaySeconds: count,
  nextFireAt: count,
  firesLeft: count,
});
const plan = z.object({
  active: z.boolean(),
  goal: z.nullable(z.string()),
  planFile: z.nullable(z.string()),
  startedAt: z.nullable(count),
});
const work = z.object({
  workspace: z.string(),
  owner: z.string(),
  tasks: z.array(task),
  currentTaskId: z.nullable(count),
  total: count,
  pending: count,
  plan: z.nullable(plan),
});
const shownQuestions = z.object({
  id: z.string(),
  questions: z
    .array(
      z.object({
        question: z.string(),
        header: z.nullable(z.string()),
        options: z.array(z.object({ label: z.string(), description: z.nullable(z.string()) })),
        multiSelect: z.boolean(),
        preselected: z.exactOptional(z.string()),
      }),
    )
    .check(z.minLength(1)),
  purpose: z.enum(["question", "consent"]),
  asker: z.string(),
  workspace: z.string(),
  askedAt: count,
});

const hub = z.object({
  pid: count,
  servers: z.array(z.object({ name: z.string(), state: z.string(), clients: count })),
  kept: count,
});

const serverMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("hello"),
    protocol: count,
    server: z.object({
      serverId: z.string(),
      pid: count,
      version: z.string(),
      transport: z.string(),
      startedAt: count,
    }),
  }),
  z.object({ type: z.literal("refused"), reason: z.string() }),
  z.object({
    type: z.literal("state"),
    state: z.object({
      clients: z.array(z.object({ client: z.string(), workspace: z.string(), owner: z.string() })),
      background: z.array(background),
      callbacks: z.array(callback),
      work: z.array(work),
      hub: z.exactOptional(hub),
    }),
  }),
  z.object({ type: z.literal("question"), number: count, question: shownQuestions }),
  z.object({
    type: z.literal("question_gone"),
    number: count,
    reason: z.enum(["answered", "withdrawn"]),
  }),
  z.object({
    type: z.literal("output"),
    output: z.object({
      client: z.string(),
      taskId: count,
      isFirst: z.boolean(),
      text: z.string(),
      partial: z.string(),
      skippedBytes: count,
      isEnded: z.boolean(),
    }),
  }),
  z.object({ type: z.literal("done"), request: count, error: z.nullable(z.string()) }),
]);

/** The message in a server's line; undefined for an invalid one, or one of a newer version. */
function readServerMessage(line: string): ServerMessage | undefined {
  try {
    const parsed = serverMessage.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

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
export class ServerConnection implements Disposable {
  readonly #handlers: ServerConnectionHandlers;
  readonly #reader: SocketLines;
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
    this.#reader = new SocketLines(attachMessageBytesMax, (line) => this.#takeLine(line));
  }

  send(message: TerminalMessage): void {
    if (!this.#isClosed) this.#queue?.send(message);
  }

  /** Leaves the server; the handlers hear nothing more. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#queue?.[Symbol.dispose]();
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
    this[Symbol.dispose]();
    this.#handlers.onClose();
  }
}
