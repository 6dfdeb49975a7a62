import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AttachServer } from "../../../src/interact/attach/attach-server.ts";
import type {
  ServerMessage,
  InstanceState,
  TerminalMessage,
} from "../../../src/interact/attach/messages.ts";
import { listPointers, type ServerPointer } from "../../../src/interact/attach/run-folder.ts";
import type { AttachSources } from "../../../src/interact/attach/terminal-connection.ts";
import { TerminalQuestions } from "../../../src/interact/questions/terminals.ts";
import type { Execution } from "../../../src/commands/background/execution.ts";
import { until } from "../../commands/process/until.ts";

export const emptyState: InstanceState = { clients: [], background: [], callbacks: [], work: [] };

/** A real server's socket over sources of a test's own. */
export class AttachHarness implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "scorpiox-attach-"));
  readonly runFolder: string;
  readonly questions = new TerminalQuestions();
  readonly done: string[] = [];
  /** How often the state was asked for. */
  looks = 0;
  state: InstanceState = emptyState;
  execution: Execution | undefined;
  change: () => void = () => {};
  isOwnUser: (fd: number) => boolean = () => true;
  whyNoAnswers: string | undefined;
  server: AttachServer | undefined;

  /** @param below folders in which the sockets are */
  constructor(below = "run") {
    this.runFolder = join(this.folder, below);
  }

  async open(serverId = "abcdef012345"): Promise<ServerPointer> {
    const sources: AttachSources = {
      facts: { serverId, pid: process.pid, version: "1", transport: "stdio", startedAt: 1 },
      state: async () => {
        this.looks++;
        return this.state;
      },
      executionOf: () => this.execution,
      kill: async (client, taskId) => void this.done.push(`kill ${client} ${taskId}`),
      cancelCallback: async () => {
        throw new Error("There is no callback 1 any more.");
      },
      listen: (onChange) => {
        this.change = onChange;
        return () => (this.change = () => {});
      },
    };
    const { runFolder, questions } = this;
    this.server = await AttachServer.open({
      runFolder,
      sources,
      questions,
      isOwnUser: (fd) => this.isOwnUser(fd),
      whyNoAnswers: async () => this.whyNoAnswers,
      warn: () => {},
    });
    const pointer = (await listPointers(runFolder)).find((found) => found.serverId === serverId);
    if (pointer === undefined) throw new Error("the server is not to be found");
    return pointer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server?.[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A connection that says what a test likes. */
export class RawTerminal {
  readonly messages: ServerMessage[] = [];
  isClosed = false;
  #rest = "";
  #socket: Bun.Socket | undefined;

  static async connect(path: string): Promise<RawTerminal> {
    const terminal = new RawTerminal();
    terminal.#socket = await Bun.connect({
      unix: path,
      socket: {
        data: (_, chunk) => terminal.#take(chunk.toString()),
        close: () => void (terminal.isClosed = true),
        error: () => void (terminal.isClosed = true),
      },
    });
    return terminal;
  }

  /** Greets as a terminal does. */
  static async attach({ socket, key }: ServerPointer): Promise<RawTerminal> {
    const terminal = await RawTerminal.connect(socket);
    terminal.send({ type: "attach", protocol: 1, key, mode: "terminal" });
    await until(() => terminal.messages.some(({ type }) => type === "state"));
    return terminal;
  }

  send(message: TerminalMessage): void {
    this.write(`${JSON.stringify(message)}\n`);
  }

  write(text: string): void {
    this.#socket?.write(text);
  }

  /** Reads nothing any more. */
  pause(): void {
    this.#socket?.pause();
  }

  close(): void {
    this.#socket?.end();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    this.messages.push(...lines.map((line) => JSON.parse(line) as ServerMessage));
  }
}
