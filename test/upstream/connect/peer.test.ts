import { afterEach, describe, expect, jest, test } from "bun:test";
import * as fc from "fast-check";

import type { Params } from "../../../src/protocol/json-rpc.ts";
import type { OutgoingMessage } from "../../../src/upstream/connect/connection.ts";
import { Peer, type ServerTask } from "../../../src/upstream/connect/peer.ts";
import { readInputRequests } from "../../../src/upstream/connect/read-reply.ts";
import { ServerRequests } from "../../../src/upstream/connect/server-requests.ts";
import { allCapabilities } from "./open-scripted.ts";

interface Wire {
  readonly peer: Peer;
  readonly sent: OutgoingMessage[];
  readonly strays: string[];
}

/** A peer whose transport keeps what is sent. */
function createWire(): Wire {
  const sent: OutgoingMessage[] = [];
  const strays: string[] = [];
  const onStray = (text: string): void => void strays.push(text);
  const rights = {
    mayAsk: { sampling: true, elicitation: true },
    roots: { isAsked: true, known: () => [] },
  };
  const peer: Peer = new Peer({
    onStray,
    onNotification: () => {},
    onRequest: (request, origin) => void requests.take(request, origin),
    onClosed: () => {},
  });
  const requests = new ServerRequests(peer, rights, { onStray });
  peer.transport = {
    hasRequestStreams: false,
    send: (message) => {
      sent.push(message);
      return Promise.resolve();
    },
    setVersion: () => {},
    close: () => Promise.resolve(),
  };
  return { peer, sent, strays };
}

function request(peer: Peer, rest: object = {}): Promise<unknown> {
  const { signal } = new AbortController();
  return peer.request({ method: "tools/call", params: {}, signal, ...rest });
}

/** Messages that are nearly right, and others. */
const message = fc.oneof(
  fc.jsonValue(),
  fc.record(
    {
      jsonrpc: fc.constantFrom("2.0", 2, null),
      id: fc.oneof(fc.constantFrom(0, 1, 2, "", "1", null, 1.5, -1), fc.jsonValue()),
      method: fc.oneof(
        fc.constantFrom("elicitation/create", "sampling/createMessage", "roots/list", "ping"),
        fc.constantFrom("notifications/progress", "notifications/cancelled"),
        fc.jsonValue(),
      ),
      params: fc.jsonValue(),
      result: fc.jsonValue(),
      error: fc.oneof(fc.jsonValue(), fc.record({ code: fc.jsonValue(), message: fc.jsonValue() })),
    },
    { requiredKeys: [] },
  ),
);

describe("Peer", () => {
  test.each([
    ["is cancelled", {}],
    ["takes too long", { timeoutMs: 1 }],
  ])("a task that a server begins for a call that %s is cancelled there", async (_, limits) => {
    const { peer, strays } = createWire();
    const leaving = new AbortController();
    const ended: unknown[] = [];
    const taskOf = ({ result }: { result?: unknown }): ServerTask => ({
      id: String(result),
      cancel: () => void ended.push(result),
    });
    let id = 0;
    const onId = (given: number): void => void (id = given);
    const call = request(peer, { signal: leaving.signal, taskOf, onId, ...limits });
    if (Object.keys(limits).length === 0) leaving.abort();
    expect(await call.catch((error: Error) => error.name)).toBe("ConnectionError");
    peer.onMessage({ id, result: "task 1" }, undefined);
    // A second answer is nobody's.
    peer.onMessage({ id, result: "task 2" }, undefined);
    expect(ended).toEqual(["task 1"]);
    expect(strays).toHaveLength(1);
  });

  test("whatever a server sends, nothing throws, and the next answer arrives", async () => {
    const check = async (messages: readonly unknown[]): Promise<void> => {
      const { peer } = createWire();
      const hooks = { asking: { capabilities: allCapabilities, ask: () => Promise.resolve({}) } };
      const lost = request(peer, { hooks }).catch(() => "failed");
      for (const each of messages) peer.onMessage(each, undefined);
      const call = request(peer, {
        onId: (id: number) => queueMicrotask(() => peer.onMessage({ id, result: 1 }, undefined)),
      });
      expect(await call).toEqual({ kind: "result", result: 1 });
      peer.onClosed(new Error("end") as never);
      await lost;
    };
    await fc.assert(fc.asyncProperty(fc.array(message, { maxLength: 8 }), check), { numRuns: 300 });
  });

  test("every request of a server is answered once, with its own id", async () => {
    const { peer, sent } = createWire();
    const ids = [0, "", "0", 7, -1, 2 ** 53 - 1];
    for (const id of ids) peer.onMessage({ id, method: "ping" }, undefined);
    await Bun.sleep(0);
    expect(sent).toEqual(ids.map((id) => ({ jsonrpc: "2.0", id, result: {} })) as never);
  });

  test("ids that are none are strays", async () => {
    const { peer, sent, strays } = createWire();
    for (const id of [null, 1.5, {}, [], 2 ** 53])
      peer.onMessage({ id, method: "ping" }, undefined);
    await Bun.sleep(0);
    expect([sent.length, strays.length]).toEqual([0, 5]);
  });

  test("an answer counts once: a second one is a stray", async () => {
    const { peer, strays } = createWire();
    const onId = (id: number): void => {
      queueMicrotask(() => {
        for (const result of [1, 2]) peer.onMessage({ id, result }, undefined);
      });
    };
    expect(await request(peer, { onId })).toEqual({ kind: "result", result: 1 });
    expect(strays.length).toBe(1);
  });

  test("progress while a question is open does not end the pause of the idle limit", async () => {
    const { peer } = createWire();
    const question = Promise.withResolvers<Params>();
    const asked = Promise.withResolvers<void>();
    const ask = (): Promise<Params> => {
      asked.resolve();
      return question.promise;
    };
    const limits = { timeoutMs: 60_000, idleMs: 20 };
    const hooks = { asking: { capabilities: allCapabilities, ask } };
    const asking = request(peer, { ...limits, hooks });
    const params = { message: "m", requestedSchema: { type: "object", properties: {} } };
    peer.onMessage({ id: "q", method: "elicitation/create", params }, undefined);
    await asked.promise;
    const waiting = { method: "notifications/progress", params: { progressToken: 1, progress: 1 } };
    peer.onMessage(waiting, undefined);
    // Others are silent for longer than it would be.
    for (let calls = 0; calls < 2; calls++) {
      const late = await request(peer, limits).catch((error: unknown) => error);
      expect(late).toMatchObject({ failure: "timeout" });
    }
    question.resolve({ action: "decline" });
    peer.onMessage({ id: 1, result: "asked" }, undefined);
    expect(await asking).toEqual({ kind: "result", result: "asked" });
  });

  test("a batch of 2025-03-26 is taken apart", async () => {
    const { peer } = createWire();
    const replies = [request(peer), request(peer)];
    peer.onMessage([{ id: 2, result: "b" }, { id: 1, result: "a" }, 7], undefined);
    expect(await Promise.all(replies)).toEqual([
      { kind: "result", result: "a" },
      { kind: "result", result: "b" },
    ]);
  });

  test("an answer of 10 000 levels fails its call", async () => {
    const { peer } = createWire();
    const deep: unknown = JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`);
    const reply = request(peer).catch((error: unknown) => error);
    peer.onMessage({ id: 1, result: deep }, undefined);
    expect(await reply).toMatchObject({
      failure: "protocol",
      message: expect.stringContaining("1000 levels"),
    });
  });
});

describe("the limits of a call [GW-28]", () => {
  afterEach(() => void jest.useRealTimers());

  /** A call that is silent for 200 ms at most, and waits for 500 ms at most, by a clock that only `pass` moves. */
  function begin(): { pass: (ms: number) => Promise<unknown>; tell: (progress: number) => void } {
    jest.useFakeTimers();
    const { peer } = createWire();
    let outcome: unknown = "waits";
    void request(peer, { idleMs: 200, timeoutMs: 500 }).catch((error: unknown) => {
      outcome = (error as Error).message;
    });
    const pass = async (ms: number): Promise<unknown> => {
      jest.advanceTimersByTime(ms);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      return outcome;
    };
    const tell = (progress: number): void => {
      const params = { progressToken: 1, progress };
      peer.onMessage({ method: "notifications/progress", params }, undefined);
    };
    return { pass, tell };
  }

  test("without progress the idle limit ends it", async () => {
    const { pass } = begin();
    expect(await pass(199)).toBe("waits");
    expect(await pass(1)).toBe("No answer and no progress in 200 ms.");
  });

  test("progress puts off the idle limit and not the wall limit", async () => {
    const { pass, tell } = begin();
    for (const progress of [1, 2]) {
      expect(await pass(199)).toBe("waits");
      tell(progress);
    }
    expect(await pass(101)).toBe("waits");
    tell(3);
    expect(await pass(1)).toBe("No answer in 500 ms.");
  });

  test("progress that does not rise puts off nothing", async () => {
    const { pass, tell } = begin();
    tell(1);
    expect(await pass(199)).toBe("waits");
    tell(1);
    expect(await pass(1)).toBe("No answer and no progress in 200 ms.");
  });
});

describe("readInputRequests()", () => {
  const form = { message: "m", requestedSchema: { type: "object", properties: {} } };
  test.each<[string, unknown, boolean]>([
    ["a form", { a: { method: "elicitation/create", params: form } }, true],
    [
      "a page",
      {
        a: {
          method: "elicitation/create",
          params: { mode: "url", message: "m", url: "https://x" },
        },
      },
      true,
    ],
    [
      "a page without address",
      { a: { method: "elicitation/create", params: { mode: "url", message: "m" } } },
      false,
    ],
    [
      "an unknown mode",
      { a: { method: "elicitation/create", params: { ...form, mode: "voice" } } },
      false,
    ],
    [
      "a form without message",
      { a: { method: "elicitation/create", params: { requestedSchema: form.requestedSchema } } },
      false,
    ],
    [
      "a form of no object",
      {
        a: {
          method: "elicitation/create",
          params: { ...form, requestedSchema: { type: "array" } },
        },
      },
      false,
    ],
    ["a model", { a: { method: "sampling/createMessage", params: { messages: [] } } }, true],
    ["a model without messages", { a: { method: "sampling/createMessage" } }, false],
    ["roots", { a: { method: "roots/list" } }, true],
    ["something else", { a: { method: "tools/call" } }, false],
    ["one good, one bad", { a: { method: "roots/list" }, b: 1 }, false],
    ["nothing", {}, false],
    ["a list", [], false],
  ])("%s", (_, value, isRead) => {
    expect(readInputRequests(value) !== undefined).toBe(isRead);
  });

  test("keeps members that are not known", () => {
    const params: Params = { ...form, _meta: { x: 1 }, odd: true };
    const read = readInputRequests({ a: { method: "elicitation/create", params } });
    expect(read?.["a"]).toEqual({
      method: "elicitation/create",
      params: { ...params, mode: "form" },
    } as never);
  });
});
