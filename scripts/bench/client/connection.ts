/**
 * One server under measurement: spawned, spoken to over raw pipes, killed. Everything blocks on purpose, so that no
 * event loop of the client stands between the server's write and the clock.
 */
import { ptr } from "bun:ffi";
import { nowMs } from "./clock.ts";
import { libc, POLLIN, POLLOUT } from "./libc.ts";
import { LineBuffer } from "./line-buffer.ts";
import { answerTo, encodeMessage, excerptOf, parseMessage } from "./message.ts";
import type { Reply, Request, ToolCall } from "./message.ts";
import { forget, keepTrackOf } from "./open-servers.ts";
import { killServer, spawnServer } from "./spawn.ts";
import type { Launch, ServerProcess } from "./spawn.ts";

const replyTimeoutMs = 30_000;
const initializeTimeoutMs = 60_000;
const protocolVersion = "2025-06-18";

export class Connection {
  /** When the last bytes came. */
  lastReadAtMs = 0;
  private readonly server: ServerProcess;
  private readonly lines = new LineBuffer();
  private readonly unsent: Buffer[] = [];
  private unsentOffset = 0;
  private lastId = 0;
  private ended = false;
  private closed = false;
  /** Two `struct pollfd`: an fd, then events and revents in one word. */
  private readonly pollFds = new Int32Array(4);

  constructor(launch: Launch) {
    this.server = spawnServer(launch);
    keepTrackOf(this);
  }

  get pid(): number {
    return this.server.pid;
  }

  get spawnedAtMs(): number {
    return this.server.spawnedAtMs;
  }

  get usable(): boolean {
    return !this.ended && !this.closed;
  }

  /** Performs the handshake. Returns the ms from the spawn to the answer. */
  initialize(): number {
    const clientInfo = { name: "bench", version: "1" };
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const reply = this.call("initialize", params, initializeTimeoutMs);
    if (reply.failed) throw new Error(`initialize failed: ${excerptOf(reply)}`);
    const answeredMs = this.lastReadAtMs - this.spawnedAtMs;
    this.notify("notifications/initialized");
    return answeredMs;
  }

  request(method: string, params: object = {}): Request {
    const id = ++this.lastId;
    return { id, line: encodeMessage({ id, method, params }) };
  }

  toolRequest(call: ToolCall): Request {
    return this.request("tools/call", { name: call.name, arguments: call.args });
  }

  notify(method: string, params?: object): void {
    this.send(encodeMessage(params === undefined ? { method } : { method, params }));
  }

  call(method: string, params: object = {}, timeoutMs: number = replyTimeoutMs): Reply {
    const request = this.request(method, params);
    this.send(request.line);
    return this.waitFor(request.id, timeoutMs);
  }

  /** Sends, waits, and returns the reply with the ms between. Throws when the call fails. */
  time(request: Request, timeoutMs: number = replyTimeoutMs): { ms: number; reply: Reply } {
    const bytes = Buffer.from(request.line);
    const sentAtMs = nowMs();
    this.send(bytes);
    const reply = this.waitFor(request.id, timeoutMs);
    if (reply.failed) throw new Error(`the call failed: ${excerptOf(reply)}`);
    return { ms: this.lastReadAtMs - sentAtMs, reply };
  }

  /** Sends encoded messages, at once as far as the pipe takes them. */
  send(lines: string | Buffer): void {
    this.unsent.push(typeof lines === "string" ? Buffer.from(lines) : lines);
    this.flush();
  }

  /** Writes what the pipe takes now. */
  flush(): void {
    for (let bytes = this.unsent[0]; bytes !== undefined; bytes = this.unsent[0]) {
      const left = bytes.length - this.unsentOffset;
      const address = ptr(bytes, this.unsentOffset);
      const written = Number(libc.write(this.server.writeFd, address, left));
      if (written < 0) return;
      this.unsentOffset += written;
      if (this.unsentOffset < bytes.length) continue;
      this.unsent.shift();
      this.unsentOffset = 0;
    }
  }

  waitFor(id: number, timeoutMs: number = replyTimeoutMs): Reply {
    const deadlineMs = nowMs() + timeoutMs;
    for (;;) {
      const reply = this.nextReply(deadlineMs);
      if (reply.id === id) return reply;
    }
  }

  /** The next reply, whatever its id; the server's own requests are answered on the way. */
  nextReply(deadlineMs: number): Reply {
    for (;;) {
      const message = parseMessage(this.nextLine(deadlineMs));
      if (message === undefined) continue;
      if (!("method" in message)) return message;
      const answer = answerTo(message);
      if (answer !== undefined) this.send(answer);
    }
  }

  /** True when a whole line has been read and not been taken. */
  hasBufferedLine(): boolean {
    return this.lines.hasLine();
  }

  /** One read of at most `bytes.length` into `bytes`, past the line buffer: for readers that are slow on purpose. */
  readInto(bytes: Buffer): number {
    return Number(libc.read(this.server.readFd, ptr(bytes), bytes.length));
  }

  /** Kills the server and all that it started. Returns the processor time it used in ms. */
  close(): number {
    if (this.closed) return 0;
    this.closed = true;
    forget(this);
    return killServer(this.server);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private nextLine(deadlineMs: number): Buffer {
    for (;;) {
      const line = this.lines.next();
      if (line !== undefined) return line;
      if (this.ended) throw new Error("the server exited");
      const leftMs = deadlineMs - nowMs();
      if (leftMs <= 0) throw new Error("timed out waiting for a reply");
      this.pollOnce(leftMs);
    }
  }

  private pollOnce(timeoutMs: number): void {
    const writing = this.unsent.length > 0;
    this.pollFds.set([this.server.readFd, POLLIN, this.server.writeFd, POLLOUT]);
    libc.poll(ptr(this.pollFds), writing ? 2 : 1, Math.ceil(timeoutMs));
    if (writing && (this.pollFds[3] ?? 0) >>> 16) this.flush();
    if (!((this.pollFds[1] ?? 0) >>> 16)) return;
    const received = this.lines.fill(this.server.readFd);
    if (received > 0) this.lastReadAtMs = nowMs();
    if (received === 0) this.ended = true;
  }
}
