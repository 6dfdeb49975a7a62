import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import type { ConnectionTransport, Protocol } from "puppeteer-core";
import type { CDPSession } from "puppeteer-core/internal/api/CDPSession.js";
import { Connection } from "puppeteer-core/internal/cdp/Connection.js";
import { createIncrementalIdGenerator } from "puppeteer-core/internal/util/incremental-id-generator.js";

/** Its last output, kept to explain why it did not start. */
const errorTailChars = 4096;
/** Its last output may come a little after its end, in ms; a child process may hold the pipe open forever. */
const lastWordsMsMax = 200;

interface BrowserCommand {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The process of a browser and the pipes to it. It leads a process group. When this process goes in any way
 * the pipes end, and with them the browser.
 */
export class BrowserProcess {
  readonly transport: PipeTransport;
  /** Resolves when the process has ended, or could not be started; never rejects. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #silent: Promise<void>;
  #errorTail = "";
  #startError: string | undefined;

  /** @throws the system's error when it refuses immediately */
  constructor({ path, args, env }: BrowserCommand) {
    const child = spawn(path, [...args], {
      env,
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
      // On Windows this would open a console; there the browser ends its own processes.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    this.#child = child;
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    child.once("exit", () => {
      this.#endRest();
      ended.resolve();
    });
    child.once("error", (error) => {
      this.#startError = error.message;
      ended.resolve();
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      this.#errorTail = (this.#errorTail + chunk.toString()).slice(-errorTailChars);
    });
    const silent = Promise.withResolvers<void>();
    this.#silent = silent.promise;
    child.stderr?.once("close", () => silent.resolve());
    this.transport = transportOf(child);
  }

  /** 0 when it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The last output of the browser, or the system's error. */
  async lastWords(): Promise<string> {
    if (!this.isAlive) await Promise.race([this.#silent, Bun.sleep(lastWordsMsMax)]);
    return this.#startError ?? this.#errorTail;
  }

  get isAlive(): boolean {
    return this.#startError === undefined && this.#isRunning;
  }

  /** Ends the whole group by force. Safe to repeat. */
  kill(): void {
    if (!this.isAlive || this.pid === 0) return;
    try {
      if (process.platform === "win32") this.#child.kill("SIGKILL");
      else process.kill(-this.pid, "SIGKILL");
    } catch {
      // It ended in this moment.
    }
  }

  /** Waits for the end, and forces it after `graceMs`. */
  async end(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.ended;
    clearTimeout(timer);
    this.transport.close();
  }

  /**
   * Ends the rest of the group once its leader is gone: a helper of a browser that was killed may go on for seconds,
   * and writes to the profile. The number of a group is not given again while it has members; a process that has it now
   * leads another group.
   */
  #endRest(): void {
    if (this.pid === 0 || process.platform === "win32" || isTaken(this.pid)) return;
    try {
      process.kill(-this.pid, "SIGKILL");
    } catch {
      // Nothing is left.
    }
  }

  get #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

/** @throws Error when the process got no pipes: it could not be started */
function transportOf({ stdio }: ChildProcess): PipeTransport {
  const { 3: toBrowser, 4: fromBrowser } = stdio;
  if (toBrowser instanceof Writable && fromBrowser instanceof Readable) {
    return new PipeTransport(toBrowser, fromBrowser);
  }
  throw new Error("it has no pipes");
}

function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

const endOfMessage = 0;

/** Messages of the DevTools protocol over two pipes, each ended by a NUL (`--remote-debugging-pipe`). */
export class PipeTransport implements ConnectionTransport {
  onmessage?: (message: string) => void;
  onclose?: () => void;
  readonly #toBrowser: Writable;
  readonly #fromBrowser: Readable;
  #waiting: Buffer[] = [];
  #isClosed = false;

  constructor(toBrowser: Writable, fromBrowser: Readable) {
    this.#toBrowser = toBrowser;
    this.#fromBrowser = fromBrowser;
    fromBrowser.on("data", (chunk: Buffer) => this.#take(chunk));
    for (const stream of [toBrowser, fromBrowser]) {
      // A browser that died this moment: the end of its process says so.
      stream.on("error", () => this.#end());
      stream.on("close", () => this.#end());
    }
  }

  send(message: string): void {
    if (!this.#isClosed) this.#toBrowser.write(`${message}\0`);
  }

  close(): void {
    this.#toBrowser.destroy();
    this.#fromBrowser.destroy();
    this.#end();
  }

  #take(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(endOfMessage, start);
      if (end === -1) break;
      const last = chunk.subarray(start, end);
      const message = this.#waiting.length === 0 ? last : Buffer.concat([...this.#waiting, last]);
      this.#waiting = [];
      start = end + 1;
      this.#give(message.toString());
    }
    if (start < chunk.length) this.#waiting.push(chunk.subarray(start));
  }

  /** The library's handler is asynchronous, whatever its type says: a message that it cannot read would end the process. */
  #give(message: string): void {
    const handled: unknown = this.onmessage?.(message);
    if (handled instanceof Promise) handled.catch(() => this.close());
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }
}

export type { CDPSession, ConnectionTransport, Protocol };
/** Commands to the browser itself, and the sessions of its tabs. */
export type DevTools = Connection;

/** A command that gets no answer fails after this. */
const answerMsMax = 180_000;

/**
 * Speaks the DevTools protocol over `transport`. Of puppeteer this is the connection alone, 10 of its 700 kB: its model of
 * browsers, pages and elements watches every target, and this program needs none of them.
 */
export function connectDevTools(transport: ConnectionTransport): DevTools {
  const ids = createIncrementalIdGenerator();
  return new Connection("", transport, 0, answerMsMax, false, ids, () => undefined);
}
