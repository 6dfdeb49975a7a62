import { ensureBuilt, productBinary } from "./binary.ts";
import { within } from "./conditions.ts";
import { type Answer, HttpClient } from "./http-client.ts";
import { HttpSession } from "./http-session.ts";
import { testEnvironment } from "./server.ts";
import { fleetEnvironment, fleetSize, proxied, type Turn } from "./test-fleet.ts";
import { TempFolder } from "./temp-folder.ts";

export interface HttpServerOptions {
  readonly binary?: string;
  /** Where to listen; `127.0.0.1:0` unless told otherwise. */
  readonly address?: string;
  readonly args?: readonly string[];
  /** Lines of a token file. The client of the harness sends the token of the first line. */
  readonly tokens?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly home?: TempFolder;
  readonly cwd?: string;
  /** Words before the command, as `setpriv`. */
  readonly wrap?: readonly string[];
  /** One process, also where other tests have a fleet. */
  readonly isAlone?: boolean;
  /** Tokens and logins are in files of the home, where the test makes or reads them: never in PostgreSQL. */
  readonly keepsFiles?: boolean;
  /** How requests are spread where this server is a fleet; absent: one by one. */
  readonly turn?: Turn;
  /** Called when the files of the home are there, before it starts. */
  readonly beforeStart?: () => void;
}

/** A real `serve --http` process. `await using` ends it; it then fails when a message broke its revision's rules. */
export class HttpServer implements AsyncDisposable {
  readonly home: TempFolder;
  readonly #ownsHome: boolean;
  readonly #child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly #reading: Promise<unknown>;
  #stdout = "";
  #stderr = "";
  #client: HttpClient | undefined;
  /** The other replicas, where this server is a fleet. */
  readonly #others: HttpServer[] = [];
  #proxy: AsyncDisposable | undefined;

  private constructor(options: HttpServerOptions) {
    const binary = options.binary ?? productBinary;
    ensureBuilt(binary);
    this.#ownsHome = options.home === undefined;
    this.home = options.home ?? new TempFolder();
    const args = [...(options.args ?? []), ...tokenArguments(this.home, options.tokens)];
    const address = options.address ?? "127.0.0.1:0";
    options.beforeStart?.();
    this.#child = Bun.spawn(
      [...(options.wrap ?? []), binary, "serve", "--http", address, ...args],
      {
        cwd: options.cwd ?? this.home.path,
        env: { ...testEnvironment(this.home.path), ...options.env },
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    this.#reading = Promise.all([this.#readStdout(), this.#readStderr()]);
  }

  /** Ready to answer. */
  static async start(given: HttpServerOptions = {}): Promise<HttpServer> {
    const isFleet = fleetSize > 1 && mayBeFleet(given);
    const env = isFleet
      ? { ...(await fleetEnvironment(given.keepsFiles === true)), ...given.env }
      : given.env;
    const options = env === undefined ? given : { ...given, env };
    const server = new HttpServer(options);
    try {
      const own = await within("the server's URL", 10_000, server.#url());
      const url = isFleet ? await server.#joinedBy(options, own) : own;
      const token = options.tokens?.[0]?.split(/\s+/).find((word) => word.length >= 16);
      server.#client = new HttpClient(url, token);
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Runs to its end, which it should find by itself: for what it refuses to do. */
  static async run(options: HttpServerOptions): Promise<{ exitCode: number; stderr: string }> {
    const server = new HttpServer(options);
    try {
      const exitCode = await server.ended();
      return { exitCode, stderr: server.#stderr };
    } finally {
      await server[Symbol.asyncDispose]();
    }
  }

  /** Sends the requests of one client, the first one's token if there are tokens. */
  get client(): HttpClient {
    if (this.#client === undefined) throw new Error("the server has not started");
    return this.#client;
  }

  get url(): string {
    return this.client.url;
  }

  get pid(): number {
    return this.#child.pid;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** A modern request with the headers that mirror its body. */
  modern(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<Answer> {
    return this.client.modern(method, params, headers);
  }

  /** A legacy session, initialized. */
  initialize(
    version = "2025-11-25",
    capabilities: Readonly<Record<string, unknown>> = {},
    token?: string,
  ): Promise<HttpSession> {
    const client = token === undefined ? this.client : this.client.withToken(token);
    return HttpSession.open(client, version, capabilities);
  }

  /** The addresses of the processes themselves: one, or those of a fleet. */
  async ownUrls(): Promise<readonly string[]> {
    return Promise.all([this, ...this.#others].map((each) => each.#url()));
  }

  /** To each process. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
    for (const other of this.#others) other.signal(signal);
  }

  /** The exit code, after all output was read; of a fleet the highest one. */
  async ended(timeoutMs = 10_000): Promise<number> {
    const code = await within("the server's end", timeoutMs, this.#child.exited);
    await within("the end of its output", timeoutMs, this.#reading);
    const others = await Promise.all(this.#others.map((other) => other.ended(timeoutMs)));
    return Math.max(code, ...others);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#others.map((other) => other[Symbol.asyncDispose]()));
    await this.#proxy?.[Symbol.asyncDispose]();
    this.#child.kill("SIGTERM");
    // A request that a test left open is given its time to end; nobody waits for it here.
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 1_000);
    await this.#child.exited;
    clearTimeout(timer);
    if (this.#ownsHome) this.home[Symbol.dispose]();
    this.#client?.assertClean();
  }

  /** Starts the other replicas; the address of all of them. */
  async #joinedBy(options: HttpServerOptions, own: string): Promise<string> {
    for (let number = 1; number < fleetSize; number++)
      this.#others.push(new HttpServer({ ...options, home: this.home }));
    const urls = await Promise.all(this.#others.map((other) => other.#url()));
    const { url, proxy } = await proxied([own, ...urls], options.turn ?? "request");
    this.#proxy = proxy;
    return url;
  }

  async #url(): Promise<string> {
    for (;;) {
      // On stderr when stdout has the access log.
      const url = /^(?:.*: )?Listening on (\S+)$/m.exec(this.#stdout + this.#stderr)?.[1];
      if (url !== undefined) return url;
      if (this.#child.exitCode !== null) throw new Error(`it ended: ${this.#stderr}`);
      await Bun.sleep(5);
    }
  }

  async #readStdout(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stdout) this.#stdout += decoder.decode(chunk);
  }

  async #readStderr(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stderr) {
      this.#stderr = (this.#stderr + decoder.decode(chunk, { stream: true })).slice(-1_000_000);
    }
  }
}

/** Tests of one process, of TLS or of fleets say themselves how many there are. */
function mayBeFleet({ isAlone, args = [], address, env = {}, binary }: HttpServerOptions): boolean {
  if (isAlone === true) return false;
  const isOwn = address === undefined && binary === undefined && env["SHARED_URL"] === undefined;
  return isOwn && !args.includes("--tls-cert");
}

function tokenArguments(home: TempFolder, tokens: readonly string[] | undefined): string[] {
  if (tokens === undefined) return [];
  return ["--token-file", home.write("tokens.txt", `${tokens.join("\n")}\n`, 0o600)];
}
