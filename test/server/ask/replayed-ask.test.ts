import { describe, expect, setSystemTime, test } from "bun:test";

import { requestStateCharsMax, requestStateMsMax } from "../../../src/base/limits.ts";
import type { AskClient } from "../../../src/calls/ask-client.ts";
import { modern, request, result, startServer, type TestServer } from "../harness.ts";
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

interface InputRequired {
  readonly inputRequests: Readonly<Record<string, unknown>>;
  readonly requestState: string;
}

/** One modern client of one server; each call has the same parameters unless a test says otherwise. */
class Client {
  readonly tools: AskingTools;
  readonly server: TestServer;

  constructor(act: (ask: AskClient) => Promise<unknown>, clientId?: string) {
    this.tools = new AskingTools((ask) => act(ask));
    this.server = startServer(0, { tools: this.tools }, clientId);
  }

  async call(more: object = {}, capabilities: object = everything): Promise<unknown> {
    const params = { name: "Echo", arguments: { a: 1, b: 2 }, ...more };
    const [reply] = await this.server.exchange(1, modern(0, "tools/call", params, capabilities));
    return reply;
  }

  /** The questions of a round, and what must come back with the answers. */
  async round(more: object = {}, capabilities: object = everything): Promise<InputRequired> {
    const reply = (await this.call(more, capabilities)) as { result: Record<string, unknown> };
    expect(reply).toMatchObject({ id: 0, result: { resultType: "input_required" } });
    const { inputRequests, requestState } = reply.result;
    return { inputRequests, requestState } as InputRequired;
  }
}

const did = (value: unknown): object => result(0, { did: value });
const wireForm = { method: "elicitation/create", params: { mode: "form", ...nameForm.params } };
const invalid = (message: string): object => ({
  jsonrpc: "2.0",
  id: 0,
  error: { code: -32602, message: `Invalid params: ${message}` },
});
const notItsState = invalid(
  "requestState does not belong to this request, or was changed; send it back as it came, with the same parameters",
);

describe("asking a modern client", () => {
  test("the call ends with the questions, and with the answers it goes on", async () => {
    const client = new Client((ask) => ask.ask({ who: nameForm, roots, visit, sampling }));
    const first = (await client.call()) as { result: InputRequired };
    const { requestState } = first.result;
    expect(first as unknown).toEqual(
      result(0, {
        resultType: "input_required",
        inputRequests: {
          who: wireForm,
          roots: { method: "roots/list" },
          visit: {
            method: "elicitation/create",
            params: { mode: "url", message: "Visit", url: "https://x" },
          },
          sampling,
        },
        requestState: expect.any(String),
        _meta: expect.any(Object),
      }),
    );
    const message = { role: "assistant", model: "m", content: { type: "text", text: "!" } };
    const inputResponses = {
      visit: { action: "cancel" },
      who: accept({ name: "x" }),
      roots: { roots: [] },
      sampling: message,
      unknown: 5,
    };
    const { unknown: _, ...good } = inputResponses;
    expect(await client.call({ inputResponses, requestState })).toEqual(did(good));
  });

  test("answers of earlier rounds are kept", async () => {
    const client = new Client(async (ask) => [
      await ask.ask({ a: nameForm }),
      await ask.ask({ a: roots, b: nameForm }),
      await ask.ask({}),
      await ask.ask({ c: visit }),
    ]);
    const one = await client.round();
    const a = accept({ name: "1" });
    const two = await client.round({ inputResponses: { a }, requestState: one.requestState });
    expect(two.inputRequests).toEqual({ a: { method: "roots/list" }, b: wireForm });
    const files = { roots: [{ uri: "file:///a" }] };
    const b = accept({ name: "2" });
    const three = await client.round({
      inputResponses: { a: files, b },
      requestState: two.requestState,
    });
    expect(Object.keys(three.inputRequests)).toEqual(["c"]);
    const c = { action: "accept" };
    const more = { inputResponses: { c, a: "late" }, requestState: three.requestState };
    expect(await client.call(more)).toEqual(did([{ a }, { a: files, b }, {}, { c }]));
    expect(client.tools.runs).toBe(4);
  });

  test.each([
    ["missing", {}],
    ["null", { b: null }],
    ["a number", { b: 12345 }],
    ["of another type", { b: accept({ name: 5 }) }],
    ["without content", { b: { action: "accept" } }],
    ["under another key", { c: accept({ name: "x" }) }],
  ])("what is %s is asked again, alone", async (_what, answers) => {
    const client = new Client((ask) => ask.ask({ a: roots, b: nameForm }));
    const { requestState } = await client.round();
    const a = { roots: [] };
    const again = await client.round({ inputResponses: { a, ...answers }, requestState });
    expect(again.inputRequests).toEqual({ b: wireForm });
    expect(again.requestState).not.toBe(requestState);
    const b = accept({ name: "x" });
    const reply = await client.call({
      inputResponses: { b },
      requestState: again.requestState,
    });
    expect(reply).toEqual(did({ a, b }));
  });

  test("without answers everything is asked again", async () => {
    const client = new Client((ask) => ask.ask({ a: nameForm }));
    const { requestState } = await client.round();
    expect((await client.round({ requestState })).inputRequests).toEqual({ a: wireForm });
  });

  test("a state is used up by the call that brings it: an answer takes effect once", async () => {
    const client = new Client((ask) => ask.ask({ a: nameForm }));
    const { requestState } = await client.round();
    const a = accept({ name: "x" });
    const used = invalid("requestState was used before; make the call again without");
    expect(await client.call({ inputResponses: { a }, requestState })).toEqual(did({ a }));
    for (const answers of [{ a }, {}]) {
      expect(await client.call({ inputResponses: answers, requestState })).toEqual(used);
    }
  });

  test("an answer is for exactly what was asked: another question is asked anew", async () => {
    let file = "one";
    const client = new Client((ask) => {
      const properties = { sure: { type: "boolean" } };
      return ask.ask({ sure: form(properties, ["sure"], `Delete ${file}?`) });
    });
    const { requestState } = await client.round();
    file = "two";
    const sure = accept({ sure: true });
    const again = await client.round({ inputResponses: { sure }, requestState });
    expect(again.inputRequests).toMatchObject({ sure: { params: { message: "Delete two?" } } });
    const more = { inputResponses: { sure }, requestState: again.requestState };
    expect(await client.call(more)).toEqual(did({ sure }));
  });

  test("an address that is made for each visit is the same question", async () => {
    let visits = 0;
    const client = new Client((ask) => {
      visits += 1;
      const params = { ...visit.params, url: `https://x/${visits}` };
      return ask.ask({ go: { ...visit, params } });
    });
    const { requestState } = await client.round();
    const go = { action: "accept" };
    expect(await client.call({ inputResponses: { go }, requestState })).toEqual(did({ go }));
  });

  test("without a state answers are for the first question only", async () => {
    const client = new Client(async (ask) => [
      await ask.ask({ a: nameForm }),
      await ask.ask({ b: nameForm }),
    ]);
    const a = accept({ name: "x" });
    const { inputRequests } = await client.round({ inputResponses: { a, b: a, c: a } });
    expect(inputRequests).toEqual({ b: wireForm });
  });

  test("questions that a handler does not wait for come one after the other", async () => {
    const client = new Client((ask) =>
      Promise.all([ask.ask({ a: nameForm }), ask.ask({ b: nameForm })]),
    );
    const one = await client.round();
    expect(Object.keys(one.inputRequests)).toEqual(["a"]);
    const a = accept({ name: "x" });
    const two = await client.round({
      inputResponses: { a },
      requestState: one.requestState,
    });
    expect(Object.keys(two.inputRequests)).toEqual(["b"]);
    const more = { inputResponses: { b: a }, requestState: two.requestState };
    expect(await client.call(more)).toEqual(did([{ a }, { b: a }]));
  });
});

describe("what the client did not declare", () => {
  test.each<[object, object]>([
    [{}, { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }],
    [{ elicitation: {} }, { elicitation: { url: {} }, sampling: { tools: {} }, roots: {} }],
    [{ ...everything, sampling: {} }, { sampling: { tools: {} } }],
    [{ ...everything, elicitation: { url: {} } }, { elicitation: { form: {} } }],
  ])("%j: -32021", async (capabilities, requiredCapabilities) => {
    const client = new Client((ask) =>
      ask.ask({ a: nameForm, b: visit, c: sampling, d: toolSampling, e: roots }),
    );
    const { sampling: declared } = capabilities as { sampling?: object };
    const needed = declared === undefined ? { sampling: { tools: {} } } : {};
    expect(await client.call({}, capabilities)).toMatchObject({
      id: 0,
      error: {
        code: -32021,
        data: { requiredCapabilities: { ...requiredCapabilities, ...needed } },
      },
    });
  });

  test("can() tells it before", async () => {
    const client = new Client((ask) => Promise.resolve([ask.can("form"), ask.can("roots")]));
    expect(await client.call({}, { roots: {} })).toEqual(did([false, true]));
  });
});

describe("requestState", () => {
  const asksName = (ask: AskClient): Promise<unknown> => ask.ask({ a: nameForm });
  const inputResponses = { a: accept({ name: "x" }) };
  const good = did({ a: accept({ name: "x" }) });

  test("is refused when any character is another one, and nothing runs", async () => {
    const client = new Client(asksName);
    const { requestState } = await client.round();
    for (let place = 0; place < requestState.length; place++) {
      const other = requestState[place] === "A" ? "B" : "A";
      const changed = requestState.slice(0, place) + other + requestState.slice(place + 1);
      expect(await client.call({ inputResponses, requestState: changed })).toEqual(notItsState);
    }
    expect(client.tools.runs).toBe(1);
  });

  test.each<[string, unknown, object]>([
    ["a number", 5, invalid("requestState must be a string")],
    ["null", null, invalid("requestState must be a string")],
    ["an object", {}, invalid("requestState must be a string")],
    ["empty", "", notItsState],
    ["garbage", "garbage", notItsState],
    ["huge", "A".repeat(requestStateCharsMax + 4), notItsState],
  ])("is refused when it is %s", async (_what, requestState, refusal) => {
    const client = new Client(asksName);
    expect(await client.call({ inputResponses, requestState })).toEqual(refusal);
    expect(client.tools.runs).toBe(0);
  });

  test.each([[null], [5], ["x"], [[]]])(
    "is not looked at when inputResponses are %j",
    async (responses) => {
      const client = new Client(asksName);
      const refusal = invalid("inputResponses must be an object");
      expect(await client.call({ inputResponses: responses })).toEqual(refusal);
      expect(client.tools.runs).toBe(0);
    },
  );

  test.each<[string, object]>([
    ["other arguments", { arguments: { a: 1, b: 3 } }],
    ["fewer arguments", { arguments: { a: 1 } }],
    ["another tool", { name: "Other" }],
    ["another parameter", { task: {} }],
  ])("is refused with %s", async (_what, more) => {
    const client = new Client(asksName);
    const { requestState } = await client.round();
    expect(await client.call({ inputResponses, requestState, ...more })).toEqual(notItsState);
    expect(client.tools.runs).toBe(1);
  });

  test("is good with arguments in another order, another _meta and other capabilities", async () => {
    const client = new Client(asksName);
    const { requestState } = await client.round();
    const more = { inputResponses, requestState, arguments: { b: 2, a: 1 } };
    expect(await client.call(more, { elicitation: {} })).toEqual(good);
  });

  test("is good on another connection of the same client only", async () => {
    const alice = new Client(asksName, "alice");
    const { requestState } = await alice.round();
    const more = { inputResponses, requestState };
    expect(await new Client(asksName, "alice").call(more)).toEqual(good);
    const bob = new Client(asksName, "bob");
    expect(await bob.call(more)).toEqual(notItsState);
    expect(bob.tools.runs).toBe(0);
  });

  test.each([
    [requestStateMsMax - 1, good],
    [requestStateMsMax, invalid("requestState has expired; make the call again without")],
    [requestStateMsMax + 1, invalid("requestState has expired; make the call again without")],
  ])("after %p ms", async (ms, reply) => {
    const client = new Client(asksName);
    const start = Date.UTC(2026, 6, 28);
    try {
      setSystemTime(start);
      const { requestState } = await client.round();
      setSystemTime(start + ms);
      expect(await client.call({ inputResponses, requestState })).toEqual(reply);
    } finally {
      setSystemTime();
    }
  });

  test.each([0, 299, 300, 60_000])(
    "tells how long an answer took: %p ms, also in later rounds",
    async (ms) => {
      const took: number[] = [];
      const onTook = (tookMs: number): void => void took.push(tookMs);
      const client = new Client(async (ask) => {
        await ask.ask({ a: nameForm }, { onTook });
        return ask.ask({ b: nameForm }, { onTook });
      });
      const start = Date.UTC(2026, 6, 28);
      try {
        setSystemTime(start);
        const first = await client.round();
        setSystemTime(start + ms);
        const second = await client.round({ requestState: first.requestState, inputResponses });
        setSystemTime(start + ms + 1_000);
        const { requestState } = second;
        await client.call({ requestState, inputResponses: { b: accept({ name: "y" }) } });
        expect(took).toEqual([ms, ms, 1_000]);
      } finally {
        setSystemTime();
      }
    },
  );

  test("an answer without a state is of unknown age", async () => {
    const took: number[] = [];
    const onTook = (tookMs: number): void => void took.push(tookMs);
    const client = new Client((ask) => ask.ask({ a: nameForm }, { onTook }));
    expect(await client.call({ inputResponses })).toEqual(good);
    expect(took).toEqual([]);
  });

  test("does not grow without bound", async () => {
    const client = new Client(async (ask) => [
      await ask.ask({ a: nameForm }),
      await ask.ask({ b: nameForm }),
    ]);
    const { requestState } = await client.round();
    const a = accept({ name: "x".repeat(requestStateCharsMax) });
    expect(await client.call({ inputResponses: { a }, requestState })).toMatchObject({
      result: { failed: { code: "limit" } },
    });
  });

  test("means nothing to methods that do not ask", async () => {
    const { server } = new Client(asksName);
    const params = { requestState: 5, inputResponses: 5 };
    const [reply] = await server.exchange(1, modern(0, "tools/list", params));
    expect(reply).toMatchObject({ id: 0, result: { resultType: "complete" } });
  });
});

describe("other methods that ask", () => {
  const prompts = {
    list: () => Promise.resolve([{ name: "p" }, { name: "Echo" }]),
    get: async (_name: string, _args: object, { ask }: { ask?: AskClient }) => {
      const answers = await ask?.ask({ a: nameForm });
      const content = { type: "text" as const, text: JSON.stringify(answers) };
      return { messages: [{ role: "user" as const, content }] };
    },
  };
  const resources = {
    list: () => Promise.resolve([]),
    templates: () => Promise.resolve([]),
    canSubscribe: () => false,
    read: async (uri: string, { ask }: { ask?: AskClient }) => {
      const answers = await ask?.ask({ a: nameForm });
      return { contents: [{ uri, text: JSON.stringify(answers) }] };
    },
  };
  const inputResponses = { a: accept({ name: "x" }) };

  test.each<[string, object]>([
    ["prompts/get", { name: "p" }],
    ["resources/read", { uri: "test://a" }],
  ])("%s", async (method, params) => {
    const tools = new AskingTools((ask) => ask.ask({ a: nameForm }));
    const { exchange } = startServer(0, { tools, prompts, resources });
    const send = async (more: object): Promise<unknown> => {
      const [reply] = await exchange(1, modern(0, method, { ...params, ...more }, everything));
      return reply;
    };
    const first = (await send({})) as { result: InputRequired };
    expect(first.result).toMatchObject({
      resultType: "input_required",
      inputRequests: { a: wireForm },
    });
    const { requestState } = first.result;
    const reply = await send({ inputResponses, requestState });
    expect(reply).toMatchObject({ result: { resultType: "complete" } });
    expect(JSON.stringify(reply)).toContain(String.raw`{\"a\":{\"action\":\"accept\"`);
    expect(await send({ inputResponses, requestState: `${requestState}A` })).toEqual(notItsState);
    const [other] = await exchange(
      1,
      modern(0, "tools/call", { name: "Echo", inputResponses, requestState }, everything),
    );
    expect([other, tools.runs]).toEqual([notItsState, 0]);
  });
});

test("a legacy request on the same pipe is asked its own way", async () => {
  const { server } = new Client((ask) => ask.ask({ a: nameForm }));
  const parameters = { protocolVersion: "2025-06-18", capabilities: { elicitation: {} } };
  await server.exchange(1, request("init", "initialize", parameters), {
    jsonrpc: "2.0",
    method: "notifications/initialized",
  });
  const [asked] = await server.exchange(1, request(0, "tools/call", { name: "Echo" }));
  const [round] = await server.exchange(1, modern(1, "tools/call", { name: "Echo" }, everything));
  expect([asked, round]).toMatchObject([
    { id: "server-1", method: "elicitation/create" },
    { id: 1, result: { resultType: "input_required" } },
  ]);
  const a = accept({ name: "x" });
  expect(await server.exchange(1, result("server-1", a))).toEqual([did({ a })]);
});
