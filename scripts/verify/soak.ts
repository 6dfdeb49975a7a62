/**
 * A million calls over HTTP to one server, and what its memory does meanwhile.
 *
 *     bun run verify --only soak [--calls 1000000]
 *
 * Linux only: memory is read in /proc.
 */
import { productBinary } from "../../test/e2e/harness/binary.ts";
import { testEnvironment } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { residentMb } from "../bench/client/process-info.ts";
import type { ToolCall } from "../bench/client/message.ts";
import { Caller, LegacySession, modernEncoder } from "../bench/http/caller.ts";
import { HttpClient } from "../bench/http/http-client.ts";
import { HttpServer } from "../bench/http/http-server.ts";
import { type Outcome, seconds } from "./outcome.ts";
import { TenthsOfMemory } from "./tenths-of-memory.ts";

const clients = 32;
/** A client that has made so many calls goes on with a new connection. */
const callsPerConnection = 5000;
const callsPerSession = 3;
const samples = 100;
const call: ToolCall = { name: "ListBgTasks", args: {} };

export async function checkSoak(calls: number): Promise<Outcome> {
  using home = new TempFolder();
  const env = testEnvironment(home.path);
  const command = [productBinary, "serve", "--http", "127.0.0.1:0"];
  using server = new HttpServer({ command, env, cwd: home.path, stderrFile: "/dev/null" });
  const soak = new Soak(server, calls);
  const startedAt = performance.now();
  await soak.run();
  const ms = performance.now() - startedAt;
  const faults = soak.memory.faults();
  const figures =
    `${calls} calls by ${clients} clients in ${seconds(ms)} (${Math.round((calls / ms) * 1000)} a second), ` +
    `each answer checked, ${soak.connections} connections, ${soak.sessions} sessions begun and ended among them; ` +
    soak.memory.figures();
  return { name: "soak over HTTP", passed: faults.length === 0, figures, faults };
}

/** The calls, and the sessions that come and go beside them. */
class Soak {
  readonly memory: TenthsOfMemory;
  readonly #url: URL;
  readonly #calls: number;
  #begun = 0;
  #answered = 0;
  connections = 0;
  sessions = 0;

  constructor({ url, pid }: HttpServer, calls: number) {
    this.#url = new URL(url);
    this.#calls = calls;
    this.memory = new TenthsOfMemory(() => residentMb(pid));
  }

  /** Rejects at the first call that is not answered as it should be. */
  async run(): Promise<void> {
    const callers = Array.from({ length: clients }, () => this.#callOverAndOver());
    await Promise.all([...callers, this.#passSessions()]);
  }

  async #callOverAndOver(): Promise<void> {
    const encode = modernEncoder(this.#url, call);
    while (this.#begun < this.#calls) {
      using client = await this.#connect();
      const caller = new Caller(client, encode);
      for (let made = 0; made < callsPerConnection && this.#begun < this.#calls; made++) {
        this.#begun += 1;
        await caller.call();
        this.#countAnswer();
      }
    }
  }

  async #passSessions(): Promise<void> {
    using client = await this.#connect();
    while (this.#begun < this.#calls) {
      const session = await LegacySession.begin(client, this.#url);
      const caller = new Caller(client, session.encoder(call));
      for (let made = 0; made < callsPerSession; made++) await caller.call();
      await session.end(client);
      this.sessions += 1;
    }
  }

  #connect(): Promise<HttpClient> {
    this.connections += 1;
    return HttpClient.connect(this.#url);
  }

  #countAnswer(): void {
    this.#answered += 1;
    const everyCalls = Math.ceil(this.#calls / samples);
    if (this.#answered % everyCalls === 0) this.memory.look(this.#answered / this.#calls);
  }
}
