import { name as suiteName } from "@modelcontextprotocol/conformance/package.json";

import { isObject } from "../../src/base/values.ts";
import { noClientCapabilities } from "../../src/protocol/client-capabilities.ts";
import type { InputRequest, InputResponses } from "../../src/protocol/input-request.ts";
import type { Params } from "../../src/protocol/json-rpc.ts";
import { isModernVersion } from "../../src/protocol/message.ts";
import {
  ConnectionError,
  type ConnectionReply,
  type ConnectionRequest,
  type RawTool,
  type UpstreamConnection,
} from "../../src/upstream/connect/connection.ts";
import { openConnection } from "../../src/upstream/connect/negotiate.ts";
import { ClientLogin } from "./client-login.ts";

/** A scenario of the suite: its server, and what the suite gives to its client in variables. */
export interface Scenario {
  readonly url: string;
  readonly name: string;
  readonly revision: string | undefined;
  readonly context: Params;
}

/** A client of one scenario's server. */
class Driver {
  readonly #scenario: Scenario;
  readonly #login: ClientLogin;
  readonly #signal: AbortSignal;

  constructor(scenario: Scenario, login: ClientLogin, signal: AbortSignal) {
    this.#scenario = scenario;
    this.#login = login;
    this.#signal = signal;
  }

  async connect(tell: (line: string) => void): Promise<UpstreamConnection> {
    return openConnection(
      {
        server: suiteName,
        endpoint: {
          transport: "http",
          url: this.#scenario.url,
          headers: {},
          auth: await this.#login.auth(),
        },
        era: isModernVersion(this.#scenario.revision) ? "auto" : "legacy",
        initTimeoutMs: 10_000,
        mayAsk: { sampling: true, elicitation: true },
        roots: { isAsked: true, known: () => [] },
        product: { name: "scorpiox-code", version: "0.0.0" },
      },
      {
        onListChanged: () => {},
        onResourceUpdated: () => {},
        onLog: () => {},
        onStray: (text) => tell(`stray: ${text}`),
        onClosed: (reason) => tell(`closed: ${reason}`),
      },
      this.#signal,
    );
  }

  /** Uses everything that the server offers, once. */
  async walk(server: UpstreamConnection): Promise<void> {
    const read = this.#login.whileNeeded(() => server.readCatalogue(this.#signal));
    const catalogue = await read.catch(isEmptyOffer);
    if (catalogue === undefined) return server.ping(this.#signal);
    const { tools, resources, prompts } = catalogue;
    for (const [name, args] of callsFor(tools, this.#scenario.context)) {
      await this.#ask(server, "tools/call", { name, arguments: args });
    }
    for (const { uri } of resources) await this.#ask(server, "resources/read", { uri });
    for (const { name } of prompts) await this.#ask(server, "prompts/get", { name });
  }

  /** Goes on until there is an answer, whatever is asked meanwhile. */
  async #ask(
    server: UpstreamConnection,
    method: ConnectionRequest["method"],
    params: Params,
  ): Promise<void> {
    let again: Pick<ConnectionRequest, "inputResponses" | "requestState"> = {};
    for (let round = 0; round < 5; round += 1) {
      const request: ConnectionRequest = {
        method,
        params,
        capabilities: {
          ...noClientCapabilities,
          elicitationForm: true,
          sampling: true,
          roots: true,
        },
        signal: this.#signal,
        timeoutMs: 20_000,
        idleMs: 20_000,
        ask: (asked) => Promise.resolve(answerTo(asked)),
        ...again,
      };
      const reply: ConnectionReply = await this.#login.whileNeeded(() => server.request(request));
      if (reply.kind !== "input-required") return;
      const answers = Object.entries(reply.requests).map(([key, each]) => [key, answerTo(each)]);
      const inputResponses = Object.fromEntries(answers) as InputResponses;
      const { requestState } = reply;
      again = requestState === undefined ? { inputResponses } : { inputResponses, requestState };
    }
  }
}

/**
 * Plays the client that the conformance suite drives: our connections, and as little beside them as a scenario can do with.
 * @param tell receives lines for who looks for a fault
 */
export async function driveClient(
  scenario: Scenario,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  using login = new ClientLogin(scenario, tell);
  const driver = new Driver(scenario, login, signal);
  const connection = await login.unlessRefused(() => driver.connect(tell));
  if (connection === undefined) return;
  await login.unlessRefused(() => driver.walk(connection));
  await connection[Symbol.asyncDispose]();
}

/** Some scenarios are over with the first requests: their servers offer nothing. */
function isEmptyOffer(error: unknown): undefined {
  if (!(error instanceof ConnectionError) || error.failure !== "protocol") throw error;
}

/** Those that the scenario names, else each tool. */
function callsFor(
  tools: readonly RawTool[],
  { toolCalls }: Params,
): readonly (readonly [string, Params])[] {
  const named = Array.isArray(toolCalls) ? (toolCalls as readonly Params[]) : [];
  if (named.length > 0) {
    return named.map((call) => [String(call.name), isObject(call.arguments) ? call.arguments : {}]);
  }
  return tools.map(({ name, inputSchema }) => [name, argumentsFor(inputSchema, tools)]);
}

function argumentsFor({ properties }: Params, tools: readonly RawTool[]): Params {
  const entries = Object.entries(isObject(properties) ? properties : {});
  return Object.fromEntries(entries.map(([key, schema]) => [key, exampleOf(key, schema, tools)]));
}

function exampleOf(key: string, schema: unknown, tools: readonly RawTool[]): unknown {
  // The suite wants to see which schema arrived of its other tool.
  if (key === "schema")
    return tools.find(({ inputSchema }) => "$schema" in inputSchema)?.inputSchema;
  const { type } = isObject(schema) ? schema : {};
  if (type === "number" || type === "integer") return 5;
  return type === "boolean" ? true : "text";
}

/** A person who accepts what is proposed. */
function answerTo(request: InputRequest): Params {
  if (request.method === "roots/list") return { roots: [] };
  if (request.method === "sampling/createMessage") {
    return { role: "assistant", content: { type: "text", text: "text" }, model: "none" };
  }
  if (request.params.mode === "url") return { action: "accept" };
  const fields = Object.entries(request.params.requestedSchema.properties);
  const filled = fields.map(([key, field]) => [key, field.default ?? exampleOf(key, field, [])]);
  return { action: "accept", content: Object.fromEntries(filled) as Params };
}
