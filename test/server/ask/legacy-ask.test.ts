import { describe, expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { AppError } from "../../../src/base/errors.ts";
import { Changes } from "../../../src/calls/features.ts";
import { inputKinds, type InputKind } from "../../../src/protocol/input-request.ts";
import type { LegacyVersion } from "../../../src/protocol/message.ts";
import { LegacyAsk } from "../../../src/server/ask/legacy-ask.ts";
import { ActiveRequest } from "../../../src/server/connection/active-request.ts";
import { createConnection, ServerContext } from "../../../src/server/context/server-context.ts";
import {
  notification,
  request,
  result,
  startServer,
  startSession,
  type TestServer,
} from "../harness.ts";
import {
  accept,
  AskingTools,
  everything,
  form,
  nameForm,
  roots,
  sampling,
  toolSampling,
  visit,
} from "./asking-tools.ts";

const call = (id: unknown, more: object = {}): object =>
  request(id, "tools/call", { name: "Echo", ...more });

function start(
  tools: AskingTools,
  version: LegacyVersion = "2025-11-25",
  capabilities: Record<string, unknown> = everything,
): Promise<TestServer> {
  return startSession(version, capabilities, { tools });
}

/** A request of ours, as the client sees it. */
interface Asked {
  readonly id: string;
  readonly method: string;
  readonly params?: unknown;
}

const unsupported = (kinds: string): object => ({
  failed: {
    code: "unsupported",
    message: `The client did not declare that it can be asked for: ${kinds}.`,
  },
});

describe("what a client of a revision can be asked", () => {
  const all = { form: nameForm, url: visit, sampling, samplingTools: toolSampling, roots } as const;

  test.each<[LegacyVersion, Record<string, unknown>, readonly InputKind[]]>([
    ["2024-11-05", everything, ["sampling", "roots"]],
    ["2025-03-26", everything, ["sampling", "roots"]],
    ["2025-06-18", everything, ["form", "sampling", "roots"]],
    ["2025-11-25", everything, inputKinds],
    ["2025-11-25", { elicitation: {} }, ["form"]],
    ["2025-11-25", {}, []],
  ])("%s: %j", async (version, capabilities, kinds) => {
    const tools = new AskingTools(async (ask, { args }) => {
      const { kind } = args as { kind: InputKind };
      if (ask.can(kind) !== kinds.includes(kind)) throw new Error(`can(${kind}) is wrong`);
      return ask.ask({ key: all[kind] });
    });
    const { exchange } = await start(tools, version, capabilities);
    for (const kind of inputKinds) {
      const [message] = await exchange(1, call(kind, { arguments: { kind } }));
      if (kinds.includes(kind)) expect((message as Asked).method).toBe(all[kind].method);
      else expect(message).toEqual(result(kind, unsupported(kind)));
    }
  });

  test("nothing before notifications/initialized", async () => {
    const tools = new AskingTools((ask) => ask.ask({ roots }));
    const { exchange } = startServer(0, { tools });
    const parameters = { protocolVersion: "2025-11-25", capabilities: everything };
    await exchange(1, request("init", "initialize", parameters));
    const reason = "has not sent notifications/initialized and cannot be asked before";
    const failed = { code: "unsupported", message: `The client ${reason}.` };
    expect(await exchange(1, call(1))).toEqual([result(1, { failed })]);
    const [asked] = await exchange(1, notification("notifications/initialized"), call(2));
    expect((asked as Asked).method).toBe("roots/list");
  });
});

describe("asking a legacy client", () => {
  test.each([0, "", 1, "1"])("works in the call with the id %j", async (id) => {
    const { exchange } = await start(new AskingTools((ask) => ask.ask({ who: nameForm })));
    const [asked] = await exchange(1, call(id));
    expect(asked).toEqual({
      jsonrpc: "2.0",
      id: "server-1",
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "Please",
        requestedSchema: {
          type: "object",
          properties: { name: { type: "string" } },
          required: ["name"],
        },
      },
    });
    const answers = await exchange(1, result("server-1", accept({ name: "x", more: 1 })));
    expect(answers).toEqual([result(id, { did: { who: accept({ name: "x" }) } })]);
  });

  test("several requests of one ask go out together, and their answers come in any order", async () => {
    const tools = new AskingTools((ask) => ask.ask({ who: nameForm, roots, visit }));
    const { exchange } = await start(tools);
    const asked = await exchange(3, call(0));
    expect(asked.map((message) => (message as Asked).method)).toEqual([
      "elicitation/create",
      "roots/list",
      "elicitation/create",
    ]);
    const answered = await exchange(
      1,
      result("server-3", { action: "accept" }),
      result("server-2", { roots: [{ uri: "file:///a" }] }),
      result("server-1", { action: "decline" }),
    );
    const did = {
      who: { action: "decline" },
      roots: { roots: [{ uri: "file:///a" }] },
      visit: { action: "accept" },
    };
    expect(answered).toEqual([result(0, { did })]);
  });

  test("a question after an answer, and none at all", async () => {
    const tools = new AskingTools(async (ask) => [
      await ask.ask({}),
      await ask.ask({ a: roots }),
      await ask.ask({ b: roots }),
    ]);
    const { exchange } = await start(tools);
    await exchange(1, call(1));
    await exchange(1, result("server-1", { roots: [] }));
    expect(await exchange(1, result("server-2", { roots: [] }))).toEqual([
      result(1, { did: [{}, { a: { roots: [] } }, { b: { roots: [] } }] }),
    ]);
  });

  test.each<[LegacyVersion, unknown]>([
    ["2025-06-18", "Red, b"],
    ["2025-11-25", ["r", "b"]],
  ])("%s: several options are an array in the end", async (version, chosen) => {
    const colours = {
      type: "array",
      items: {
        anyOf: [
          { const: "r", title: "Red" },
          { const: "b", title: "Blue" },
        ],
      },
    };
    const tools = new AskingTools((ask) => ask.ask({ which: form({ colours }) }));
    const { exchange } = await start(tools, version);
    await exchange(1, call(1));
    const reply = await exchange(1, result("server-1", accept({ colours: chosen })));
    expect(reply).toEqual([result(1, { did: { which: accept({ colours: ["r", "b"] }) } })]);
  });

  test("requestState and inputResponses mean nothing", async () => {
    const tools = new AskingTools((ask) => ask.ask({ roots }));
    const { exchange } = await start(tools);
    const more = { requestState: 5, inputResponses: { roots: { roots: [] } } };
    const [asked] = await exchange(1, call(1, more));
    expect((asked as Asked).method).toBe("roots/list");
  });
});

describe("a question that fails", () => {
  const malformed = "The client's answer to elicitation/create is malformed: ";
  test.each([
    [12345, "the answer must be an object"],
    [{}, "`action` must be accept, decline or cancel"],
    [accept(undefined), "`name` is missing"],
    [accept("x"), "`content` must be an object"],
    [accept({ name: 5 }), "`name` must be a string"],
    [accept({}), "`name` is missing"],
  ])("by the answer %j", async (answer, problem) => {
    const { exchange } = await start(new AskingTools((ask) => ask.ask({ who: nameForm })));
    await exchange(1, call(1));
    expect(await exchange(1, result("server-1", answer))).toEqual([
      result(1, { failed: { code: "usage", message: `${malformed}${problem}.` } }),
    ]);
  });

  test("by the client's refusal, and takes the others back", async () => {
    const tools = new AskingTools((ask) => ask.ask({ who: nameForm, roots }));
    const { exchange } = await start(tools);
    await exchange(2, call(1));
    const refusal = { jsonrpc: "2.0", id: "server-1", error: { code: -1, message: "busy" } };
    const message = 'the client refused elicitation/create: {"code":-1,"message":"busy"}';
    expect(await exchange(2, refusal)).toEqual([
      notification("notifications/cancelled", {
        requestId: "server-2",
        reason: "no longer needed",
      }),
      result(1, { failed: { code: "system", message } }),
    ]);
  });

  test("by the call's cancellation, after which nothing mentions the call", async () => {
    const { exchange, news } = await start(new AskingTools((ask) => ask.ask({ roots })));
    await exchange(1, call(7));
    const taken = await exchange(1, notification("notifications/cancelled", { requestId: 7 }));
    expect(taken).toEqual([
      notification("notifications/cancelled", {
        requestId: "server-1",
        reason: "no longer needed",
      }),
    ]);
    await exchange(1, result("server-1", { roots: [] }), request(8, "ping"));
    expect(news()).toEqual([]);
  });

  test("not by the reply where it may outlive the call, but then by its own cancellation", async () => {
    const until = new Cancellation();
    const askings: Promise<unknown>[] = [];
    const tools = new AskingTools((ask) => {
      askings.push(ask.ask({ roots }, { until }).catch((error: unknown) => error));
      return Promise.resolve("later");
    });
    const { exchange } = await start(tools);
    await exchange(2, call(1));
    await exchange(1, result("server-1", { roots: [] }), request(8, "ping"));
    expect(await askings[0]).toEqual({ roots: { roots: [] } });
    await exchange(2, call(2));
    const taken = exchange(1);
    until.cancel();
    expect(await taken).toEqual([
      notification("notifications/cancelled", {
        requestId: "server-2",
        reason: "no longer needed",
      }),
    ]);
    expect(await askings[1]).toEqual(new AppError("cancelled", "the call was cancelled"));
  });

  test("by the end of the connection", async () => {
    let failure: unknown;
    const tools = new AskingTools((ask) =>
      ask.ask({ roots }).catch((error: unknown) => {
        failure = error;
      }),
    );
    const { exchange, connection } = await start(tools);
    await exchange(1, call(1));
    connection.shutdown();
    await connection.ended;
    expect(failure).toEqual(new AppError("cancelled", "the connection has ended"));
  });

  test("by silence, after a time", async () => {
    const sent: string[] = [];
    const lane = { isCongested: false, send: (text: string) => sent.push(text), reply: () => {} };
    const features = { tools: new AskingTools(() => Promise.resolve()), changes: new Changes() };
    const connection = createConnection(
      new ServerContext({
        features: { ...features, changing: new Set() },
        instructions: "",
        stateKey: () => Promise.reject(new Error("no key")),
      }),
      { id: "c", limitsFor: () => ({ answerMs: 0, resultCharsMax: 1 }), fallbackDir: "/" },
      lane,
    );
    connection.session.begin({ protocolVersion: "2025-11-25", capabilities: { roots: {} } });
    connection.session.markInitialized();
    const message = { id: 1, method: "tools/call", params: {} };
    const active = new ActiveRequest(message, connection.session.legacyAsker(lane), lane);
    const asking = new LegacyAsk(active, connection, 1).ask({ roots });
    const late = "the client did not answer roots/list within 1 ms";
    expect(await asking.catch((error: unknown) => error)).toEqual(new AppError("cancelled", late));
    expect(sent).toHaveLength(2);
  });
});
