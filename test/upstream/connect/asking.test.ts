import { describe, expect, test } from "bun:test";

import { noClientCapabilities } from "../../../src/protocol/client-capabilities.ts";
import type { InputRequest } from "../../../src/protocol/input-request.ts";
import type { Params } from "../../../src/protocol/json-rpc.ts";
import type { ConnectionReply } from "../../../src/upstream/connect/connection.ts";
import { openScripted, toolCall, type Transport, until } from "./open-scripted.ts";

const answer = { action: "accept", content: { name: "Ada" } };
const message = { role: "assistant", content: { type: "text", text: "hi" }, model: "m" };
const clientRoots = { roots: [{ uri: "file:///client" }] };

/** Answers whatever is asked. */
function answerOf(request: InputRequest): Promise<Params> {
  if (request.method === "roots/list") return Promise.resolve(clientRoots);
  return Promise.resolve(request.method === "elicitation/create" ? answer : message);
}

function structured(reply: ConnectionReply): unknown {
  return reply.kind === "result" ? (reply.result as Params).structuredContent : reply;
}

describe("a legacy server asks in a call [GW-29]", () => {
  const kinds: readonly [string, unknown][] = [
    ["elicit", answer],
    ["sample", message],
    ["roots", clientRoots],
  ];
  const rows = (["stdio", "http"] as const).flatMap((transport) =>
    kinds.map(([tool, expected]): [Transport, string, unknown] => [transport, tool, expected]),
  );
  test.each(rows)("%s: %s is passed on and answered", async (transport, tool, expected) => {
    await using opened = await openScripted(transport, { era: "legacy", http: { reply: "sse" } });
    const reply = await opened.connection.request(toolCall(tool, {}, { ask: answerOf }));
    expect(structured(reply)).toEqual({ only: expected });
  });

  test.each([0, "", "0", "x"])("the id %p of its request is given back as it is", async (id) => {
    await using opened = await openScripted("stdio", { era: "legacy" });
    const reply = await opened.connection.request(toolCall("elicit", { id }, { ask: answerOf }));
    expect(structured(reply)).toEqual({ only: answer });
  });

  test("over HTTP the stream tells which of two calls asks", async () => {
    await using opened = await openScripted("http", { era: "legacy", http: { reply: "sse" } });
    const asked: string[] = [];
    const call = (name: string): Promise<ConnectionReply> => {
      const ask = (request: InputRequest): Promise<Params> => {
        asked.push(`${name}: ${String((request as { params: Params }).params.message)}`);
        return Promise.resolve({ action: "accept", content: { name } });
      };
      return opened.connection.request(toolCall("elicit", { message: `for ${name}` }, { ask }));
    };
    const replies = await Promise.all([call("a"), call("b")]);
    expect(asked.sort()).toEqual(["a: for a", "b: for b"]);
    expect(replies.map(structured)).toEqual(
      ["a", "b"].map((name) => ({ only: { action: "accept", content: { name } } })),
    );
  });

  const declined = { action: "decline" };
  test.each([
    ["somebody's", undefined, undefined, declined],
    ["another client's", "a", "b", declined],
    ["the same client's", "a", "a", answer],
  ])("over a pipe, while %s other call could be the one", async (_, mine, theirs, expected) => {
    await using opened = await openScripted("stdio", { era: "legacy" });
    const leaving = new AbortController();
    const { signal } = leaving;
    const whose = (clientId: string | undefined): object =>
      clientId === undefined ? {} : { clientId };
    const other = opened.connection.request(
      toolCall("hang", {}, { signal, ask: answerOf, ...whose(theirs) }),
    );
    const reply = await opened.connection.request(
      toolCall("elicit", {}, { ask: answerOf, ...whose(mine) }),
    );
    expect(structured(reply)).toEqual({ only: expected });
    leaving.abort();
    expect((await other.catch((error: unknown) => error)) as Params).toMatchObject({
      failure: "cancelled",
    });
  });

  test("without the capability it is refused; roots are those that the server was given", async () => {
    await using opened = await openScripted("stdio", { era: "legacy" });
    const capabilities = noClientCapabilities;
    const asks = ["elicit", "sample", "roots"].map((tool) =>
      opened.connection.request(toolCall(tool, {}, { capabilities })).then(structured),
    );
    // One after the other: they are three calls, of which none could be told from the others.
    const replies = [await asks[0], await asks[1], await asks[2]];
    expect(replies[2]).toEqual({ only: { roots: [{ uri: "file:///project", name: "project" }] } });
    for (const tool of ["elicit", "sample"]) {
      const alone = structured(
        await opened.connection.request(toolCall(tool, {}, { capabilities })),
      );
      expect(alone).toEqual({
        only: {
          error: { code: -32600, message: expect.stringContaining("not available in this call") },
        },
      });
    }
  });

  test.each([
    ["who may not ask for roots is not told that it may", undefined, { error: { code: -32601 } }],
    [
      "folders of its entry are told, whatever the client has",
      { isAsked: false, known: () => [{ uri: "file:///data", name: "data" }] },
      { roots: [{ uri: "file:///data", name: "data" }] },
    ],
  ] as const)("%s", async (_what, roots, only) => {
    await using opened = await openScripted(
      "stdio",
      { era: "legacy" },
      { options: { roots } as object },
    );
    const reply = await opened.connection.request(toolCall("roots", {}, { ask: answerOf }));
    expect(structured(reply)).toMatchObject({ only });
  });

  test("what it may not do is refused, whatever the client has", async () => {
    const mayAsk = { sampling: false, elicitation: true };
    await using opened = await openScripted("stdio", { era: "legacy" }, { options: { mayAsk } });
    const reply = await opened.connection.request(toolCall("sample", {}, { ask: answerOf }));
    expect(structured(reply)).toMatchObject({ only: { error: { code: -32600 } } });
  });

  test("with no call running it is refused at once and never passed on", async () => {
    await using opened = await openScripted("stdio", { era: "legacy" });
    await opened.connection.request(toolCall("ask_late", { ms: 1 }));
    await until(() => opened.told.logs.length > 0);
    expect(opened.told.logs).toEqual([expect.stringContaining("No call is running")]);
  });

  test.each<Transport>(["stdio", "http"])(
    "%s: a flood of 200 is answered with errors",
    async (transport) => {
      await using opened = await openScripted(transport, { era: "legacy", http: { reply: "sse" } });
      const { promise, resolve } = Promise.withResolvers<Params>();
      let asked = 0;
      const ask = (): Promise<Params> => {
        asked += 1;
        return promise;
      };
      const reply = opened.connection.request(
        toolCall("flood", { kind: "requests", count: 200 }, { ask }),
      );
      await until(() => asked > 0);
      await opened.connection.ping(new AbortController().signal);
      expect(asked).toBe(1);
      resolve(answer);
      expect(structured(await reply)).toEqual({ sent: 200, refused: 195, answered: 5 });
      expect(asked).toBe(5);
    },
  );

  test.each<Transport>(["stdio", "http"])(
    "%s: what it asks at once is asked one after the other",
    async (transport) => {
      await using opened = await openScripted(transport, { era: "legacy", http: { reply: "sse" } });
      const open = new Set<string>();
      let openMax = 0;
      const ask = async (request: InputRequest): Promise<Params> => {
        open.add(request.method);
        openMax = Math.max(openMax, open.size);
        await opened.connection.ping(new AbortController().signal);
        open.delete(request.method);
        return answerOf(request);
      };
      const reply = await opened.connection.request(toolCall("ask_all", {}, { ask }));
      expect(structured(reply)).toEqual({ form: answer, model: message, roots: clientRoots });
      expect(openMax).toBe(1);
    },
  );

  test("a call that is over asks nobody any more", async () => {
    await using opened = await openScripted("stdio", { era: "legacy" });
    const leaving = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Params>();
    let asked = 0;
    const ask = (): Promise<Params> => {
      asked += 1;
      return promise;
    };
    const flood = { kind: "requests", count: 3 };
    const running = opened.connection
      .request(toolCall("flood", flood, { ask, signal: leaving.signal }))
      .catch((error: unknown) => error);
    await until(() => asked > 0);
    await opened.connection.ping(new AbortController().signal);
    leaving.abort();
    expect(await running).toMatchObject({ failure: "cancelled" });
    resolve(answer);
    await opened.connection.ping(new AbortController().signal);
    expect(asked).toBe(1);
  });

  test("five questions in a call, and no sixth", async () => {
    await using opened = await openScripted("stdio", { era: "legacy" });
    const reply = await opened.connection.request(
      toolCall("rounds", { count: 7 }, { ask: answerOf }),
    );
    const { answers } = structured(reply) as { answers: Params[] };
    expect(answers.map((each) => "error" in each)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});

describe("a modern server asks in a call [GW-29]", () => {
  test.each<Transport>(["stdio", "http"])(
    "%s: it is given back, and its state returned to the byte",
    async (transport) => {
      await using opened = await openScripted(transport, { era: "modern" });
      const first = await opened.connection.request(toolCall("ask_all"));
      expect(first).toMatchObject({
        kind: "input-required",
        requestState: 'st4te-"✓\\u0041/\u2028-1',
      });
      if (first.kind !== "input-required") throw new Error("no question");
      expect(Object.values(first.requests).map(({ method }) => method)).toEqual([
        "elicitation/create",
        "sampling/createMessage",
        "roots/list",
      ]);
      const inputResponses = { form: answer, model: message, roots: clientRoots };
      const again = { inputResponses, requestState: first.requestState ?? "" };
      const second = await opened.connection.request(toolCall("ask_all", {}, again));
      expect(structured(second)).toEqual(inputResponses);
      const changed = { inputResponses, requestState: `${first.requestState} ` };
      expect(await opened.connection.request(toolCall("ask_all", {}, changed))).toMatchObject({
        kind: "fault",
        fault: { code: -32602 },
      });
    },
  );

  test("it is told what the client of this call can be asked for, within its rights", async () => {
    const mayAsk = { sampling: false, elicitation: true };
    await using opened = await openScripted("stdio", { era: "modern" }, { options: { mayAsk } });
    const all = await opened.connection.request(toolCall("capabilities"));
    expect(structured(all)).toEqual({ roots: {}, elicitation: { form: {}, url: {} } });
    await using told = await openScripted(
      "stdio",
      { era: "modern" },
      { options: { roots: undefined } as object },
    );
    const nothing = await told.connection.request(toolCall("capabilities"));
    expect(structured(nothing)).not.toHaveProperty("roots");
    const none = toolCall("capabilities", {}, { capabilities: noClientCapabilities });
    expect(structured(await opened.connection.request(none))).toEqual({});
  });

  test("requests of the legacy kind are refused", async () => {
    await using opened = await openScripted("stdio", { era: "modern" });
    const reply = await opened.connection.request(
      toolCall("flood", { kind: "requests", count: 3 }, { ask: answerOf }),
    );
    expect(structured(reply)).toEqual({ sent: 3, refused: 3, answered: 0 });
  });
});
