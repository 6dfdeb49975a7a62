import { messageOf } from "../../base/errors.ts";
import {
  upstreamAnswersWaitingMax,
  upstreamEndKnownMs,
  upstreamLineHeadBytesMax,
  upstreamRawCharsShown,
} from "../../base/upstream-limits.ts";
import { type ByteReader, isObject } from "../../base/values.ts";
import { excessOf } from "../../base/weight.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";
import {
  ConnectionError,
  type OutgoingMessage,
  type ClientTransport,
  type TransportEvents,
} from "./connection.ts";
import { FloodGate, idOfHead, LineReader, noteRead } from "./line-reader.ts";

const decoder = new TextDecoder();

/**
 * A server's stdin and stdout. Output that is not a message is a stray; a line that is too long only fails its own
 * call.
 */
export class StdioClientTransport implements ClientTransport {
  readonly hasRequestStreams = false;
  readonly pid: number;
  readonly #process: UpstreamProcess;
  readonly #events: TransportEvents;
  #reader: Pick<ByteReader, "cancel"> | undefined;
  readonly #gate = new FloodGate((text) => this.#events.onStray(text));
  #isOver = false;
  /** Answers to requests of the server that it has not read yet. */
  #unread = 0;
  #onRead: (() => void) | undefined;
  /** The reason why it ended by itself. */
  #fault: ConnectionError | undefined;
  readonly #ended = Promise.withResolvers<void>();

  constructor(process: UpstreamProcess, events: TransportEvents) {
    this.#process = process;
    this.#events = events;
    this.pid = process.pid;
    void this.#read();
  }

  send(message: OutgoingMessage): Promise<void> | undefined {
    if (this.#isOver) {
      return Promise.reject(this.#fault ?? new ConnectionError("lost", "The server has ended."));
    }
    const written = this.#process.write(`${JSON.stringify(message)}\n`);
    if (written === undefined) return undefined;
    return this.#untilWritten(written, message.method === undefined);
  }

  async #untilWritten(written: Promise<void>, isAnswer: boolean): Promise<void> {
    if (isAnswer) this.#unread += 1;
    try {
      await written;
    } catch (error) {
      // Usually because the server has ended, and its output gives the reason a moment later.
      await Promise.race([this.#ended.promise, Bun.sleep(upstreamEndKnownMs)]);
      const text = `The server does not read its input: ${messageOf(error)}`;
      throw this.#fault ?? new ConnectionError("lost", text);
    } finally {
      if (isAnswer) this.#noteRead();
    }
  }

  setVersion(): void {}

  lastErrorAt(): number | undefined {
    return this.#process.lastErrorAt?.();
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#gate.end();
    this.#process.endInput();
    await this.#reader?.cancel().catch(() => {});
  }

  async #read(): Promise<void> {
    const lines = new LineReader({
      onLine: (bytes, release) => this.#take(bytes, release),
      onTooLong: (head) => this.#drop(head, "16 MiB"),
      isUnwanted: (bytes, start, end) => this.#gate.isTooMuch(bytes, start, end),
    });
    const reader = this.#process.output.getReader();
    this.#reader = reader;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || value === undefined) break;
        lines.push(value);
        await this.#untilAnswersRead();
      }
      lines.end();
    } catch (error) {
      return this.#end(`Its output cannot be read: ${messageOf(error)}`);
    }
    await this.#tellEnd();
  }

  /** Stops reading from a server that asks but does not read: the answers waiting for it would be unbounded. */
  async #untilAnswersRead(): Promise<void> {
    while (this.#unread > upstreamAnswersWaitingMax && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#onRead = resolve;
      });
    }
  }

  #noteRead(): void {
    this.#unread -= 1;
    this.#onRead?.();
    this.#onRead = undefined;
  }

  async #tellEnd(): Promise<void> {
    const end = await Promise.race([this.#process.ended, Bun.sleep(upstreamEndKnownMs)]);
    if (end === undefined) return this.#end("The server has closed its output.");
    const how = end.signal === null ? `with status ${end.exitCode}` : `by ${end.signal}`;
    const said = this.#process.stderrTail().join("\n");
    this.#end(`The server has ended ${how}${said === "" ? "." : `. Its last output:\n${said}`}`);
  }

  #take(bytes: Uint8Array, release: () => void): void {
    if (this.#isOver) return;
    const text = decoder.decode(bytes).trim();
    if (text === "") return;
    const excess = looksLikeMessage(text) ? excessOf(bytes) : undefined;
    if (excess !== undefined)
      return this.#drop(bytes.subarray(0, upstreamLineHeadBytesMax), excess);
    // The bytes, the text and the value of a long answer need not be in memory together.
    release();
    const message = parse(text);
    noteRead(text.length);
    if (message === undefined) this.#takeStray(text);
    else if (!isLog(message) || this.#gate.mayPass("logs", text)) {
      this.#events.onMessage(message, undefined);
    }
  }

  #takeStray(text: string): void {
    if (this.#gate.mayPass("strays")) this.#events.onStray(text.slice(0, upstreamRawCharsShown));
  }

  /** Fails only the answered call if its id is found; otherwise ends the connection. */
  #drop(head: Uint8Array, excess: string): void {
    if (this.#isOver) return;
    const what = `The server wrote a line of more than ${excess}`;
    const id = idOfHead(head);
    if (id === undefined) return this.#end(`${what}, and the request that it answers is unknown.`);
    if (id === "none") return this.#events.onStray(`${what}: it was left out.`);
    this.#events.onLost(id, new ConnectionError("too_large", `${what}.`));
  }

  #end(text: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#gate.end();
    this.#fault = new ConnectionError("lost", text);
    this.#ended.resolve();
    void this.#reader?.cancel().catch(() => {});
    this.#events.onClosed(this.#fault);
  }
}

function looksLikeMessage(text: string): boolean {
  return text.startsWith("{") || text.startsWith("[");
}

function isLog(message: unknown): boolean {
  return isObject(message) && message.method === "notifications/message" && !("id" in message);
}

/** A batch is an array (2025-03-26); any other value that is not an object is not a message. */
function parse(text: string): unknown {
  if (!looksLikeMessage(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) || Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
