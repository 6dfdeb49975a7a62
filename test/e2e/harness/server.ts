import { ensureBuilt, productBinary } from "./binary.ts";
import { within } from "./conditions.ts";
import { TempFolder } from "./temp-folder.ts";
import { WireCheck } from "./wire-check.ts";

export interface ServerOptions {
  readonly binary?: string;
  readonly args?: readonly string[];
  /** Added to the small environment of a test; undefined takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Instead of the whole environment of a test. */
  readonly bareEnv?: Readonly<Record<string, string>>;
  readonly home?: TempFolder;
  readonly cwd?: string;
  /** Words before the command, as `env -i`. */
  readonly wrap?: readonly string[];
}

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A message of the server, as it came. */
export interface ServerMessage {
  readonly jsonrpc: string;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: RpcError;
}

type Waiter = (messages: readonly ServerMessage[]) => boolean;

/** A hub runs the upstream servers of every test that does not say otherwise. */
export const testsUseHub = !["off", undefined].includes(process.env["TEST_HUB"]);

/**
 * What a test's server is started with: its own home, and nothing of the developer's settings. TEST_HUB=on has a hub run the
 * upstream servers of every test; without it, tests of the hub alone use one.
 */
export function testEnvironment(home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    LANG: "C.UTF-8",
    SCORPIOX_HUB: process.env["TEST_HUB"] ?? "off",
    SCORPIOX_HUB_IDLE: process.env["TEST_HUB_IDLE"] ?? "0",
  };
}

/**
 * A real server process with raw lines in and out. `await using` ends it, removes its home, and fails when a message
 * was not what its revision allows.
 */
export class Server implements AsyncDisposable {
  /** Every line of stdout so far. */
  readonly lines: string[] = [];
  readonly home: TempFolder;
  readonly #ownsHome: boolean;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  /** The messages of each line of which they were asked for: long lines are not parsed again for each request. */
  readonly #parsed: (readonly ServerMessage[])[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #check = new WireCheck();
  readonly #listeners: ((message: ServerMessage) => void)[] = [];
  readonly #reading: Promise<unknown>;
  #stderr = "";
  #rest = "";
  #lastId = 0;

  constructor(options: ServerOptions = {}) {
    const binary = options.binary ?? productBinary;
    if (options.binary === undefined || options.binary.includes("faulty")) ensureBuilt(binary);
    this.#ownsHome = options.home === undefined;
    this.home = options.home ?? new TempFolder();
    const env = options.bareEnv ?? { ...testEnvironment(this.home.path), ...options.env };
    this.#child = Bun.spawn([...(options.wrap ?? []), binary, ...(options.args ?? [])], {
      cwd: options.cwd ?? this.home.path,
      env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#reading = Promise.all([this.#readStdout(), this.#readStderr()]);
  }

  get pid(): number {
    return this.#child.pid;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The messages so far; a line that is none is a failure of the test. */
  get messages(): ServerMessage[] {
    while (this.#parsed.length < this.lines.length) {
      this.#parsed.push(parseLine(this.lines[this.#parsed.length] ?? ""));
    }
    return this.#parsed.flat();
  }

  get exited(): Promise<number> {
    return this.#child.exited;
  }

  write(bytes: string | Uint8Array): void {
    void this.#child.stdin.write(bytes);
    void this.#child.stdin.flush();
  }

  send(message: unknown): void {
    this.#check.sent(message);
    this.write(`${JSON.stringify(message)}\n`);
  }

  notify(method: string, params?: unknown): void {
    this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  /** Sends a request and waits for its reply. */
  async request(method: string, params?: unknown, timeoutMs = 15_000): Promise<ServerMessage> {
    return this.reply(this.start(method, params), timeoutMs);
  }

  /** Sends a request without waiting; returns its id. */
  start(method: string, params?: unknown, id: string | number = this.#nextId()): string | number {
    this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return id;
  }

  /** The reply with this id, come or to come. */
  reply(id: string | number, timeoutMs = 15_000): Promise<ServerMessage> {
    const isReply = (message: ServerMessage): boolean =>
      message.id === id && message.method === undefined;
    return this.message(`a reply to ${JSON.stringify(id)}`, isReply, timeoutMs);
  }

  /** The first message that passes, come or to come. */
  async message(
    what: string,
    passes: (message: ServerMessage) => boolean,
    timeoutMs = 15_000,
  ): Promise<ServerMessage> {
    const known = this.messages.find(passes);
    if (known !== undefined) return known;
    const { promise, resolve } = Promise.withResolvers<ServerMessage>();
    const waiter: Waiter = (messages) => {
      const found = messages.find(passes);
      if (found !== undefined) resolve(found);
      return found !== undefined;
    };
    this.#waiters.add(waiter);
    const death = this.#reading.then(() => {
      throw new Error(`the server ended before ${what}`);
    });
    try {
      return await within(what, timeoutMs, Promise.race([promise, death]));
    } catch (error) {
      throw new Error(`${String(error)}; stderr: ${this.#stderr.slice(-500)}`, { cause: error });
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  /** Hands every message on as it comes: for more of them than may be looked through again and again. */
  onMessage(listener: (message: ServerMessage) => void): void {
    this.#listeners.push(listener);
  }

  /** The legacy handshake. */
  async initialize(
    version = "2025-11-25",
    clientName = "e2e",
    capabilities: Readonly<Record<string, unknown>> = {},
  ): Promise<ServerMessage> {
    const clientInfo = { name: clientName, version: "1" };
    const params = { protocolVersion: version, capabilities, clientInfo };
    const reply = await this.request("initialize", params);
    this.notify("notifications/initialized");
    return reply;
  }

  call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<ServerMessage> {
    return this.request("tools/call", { name, arguments: args });
  }

  /** The client goes: no more input. */
  endInput(): void {
    void this.#child.stdin.end();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** The exit code, after all output was read. */
  async ended(timeoutMs = 10_000): Promise<number> {
    const code = await within("the server's end", timeoutMs, this.#child.exited);
    await within("the end of its output", timeoutMs, this.#reading);
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.endInput();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 5_000);
    await this.#child.exited;
    clearTimeout(timer);
    await within("the end of its output", 5_000, this.#reading);
    if (this.#ownsHome) this.home[Symbol.dispose]();
    this.#check.assertClean();
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  async #readStdout(): Promise<void> {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    for await (const chunk of this.#child.stdout) {
      const parts = decoder.decode(chunk, { stream: true }).split("\n");
      parts[0] = this.#rest + (parts[0] ?? "");
      this.#rest = parts.pop() ?? "";
      for (const line of parts) {
        this.#check.received(line);
        this.#takeLine(line);
      }
    }
    // A server that was killed may leave half a line.
    if (this.#rest !== "") this.#takeLine(this.#rest);
  }

  #takeLine(line: string): void {
    this.lines.push(line);
    if (this.#waiters.size + this.#listeners.length === 0) return;
    const messages = parseLine(line);
    for (const waiter of this.#waiters) if (waiter(messages)) this.#waiters.delete(waiter);
    for (const message of messages) {
      for (const listener of this.#listeners) listener(message);
    }
  }

  async #readStderr(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      this.#stderr = (this.#stderr + decoder.decode(chunk, { stream: true })).slice(-1_000_000);
    }
  }
}

/** The messages of one line: several when it is a batch. */
function parseLine(line: string): ServerMessage[] {
  const value: unknown = JSON.parse(line);
  return (Array.isArray(value) ? value : [value]) as ServerMessage[];
}
