import { expect, test } from "bun:test";

import { Changes } from "../../../src/calls/features.ts";
import { openRounds, sealRounds } from "../../../src/server/ask/state-seal.ts";
import { ServerContext } from "../../../src/server/context/server-context.ts";
import { createRequest, type RequestFields } from "../fake-request.ts";
import { FakeTools } from "../harness.ts";

const rounds = [
  { asked: { a: "digest" }, answers: { a: { action: "accept" as const } }, askedAt: 5, tookMs: 7 },
];
const params = { name: "Echo", arguments: { a: 1, b: 2 } };
const server = new ServerContext({
  features: { tools: new FakeTools(), changes: new Changes(), changing: new Set() },
  instructions: "",
  stateKey: () => Promise.resolve(new Uint8Array(32)),
});

const sealed = (): Promise<string> => sealRounds(rounds, createRequest({ params }), server, 0);

test.each<[string, RequestFields]>([
  ["the same", { params }],
  ["the same under another id", { params, id: "other" }],
  ["its parameters in another order", { params: { arguments: { b: 2, a: 1 }, name: "Echo" } }],
  ["what differs between rounds", { params: { ...params, _meta: { x: 1 }, inputResponses: {} } }],
])("a state opens for %s", async (_, fields) => {
  expect(await openRounds(await sealed(), createRequest(fields), server, 1)).toEqual(rounds);
});

test.each<[string, RequestFields]>([
  ["another method", { params, method: "prompts/get" }],
  ["another revision", { params, version: "2025-11-25" }],
  ["another client", { params, clientId: "d" }],
  ["another tool", { params: { ...params, name: "Other" } }],
  ["other arguments", { params: { ...params, arguments: {} } }],
])("a state does not open for %s", async (_, fields) => {
  const opened = openRounds(await sealed(), createRequest(fields), server, 1);
  expect(await opened.catch((error: unknown) => error)).toMatchObject({
    fault: { code: -32602, message: expect.stringContaining("does not belong to this request") },
  });
});

test("a state keeps what was done for the call", async () => {
  const first = createRequest({ params });
  first.marks = ["hooks"];
  const text = await sealRounds(rounds, first, server, 0);
  const next = createRequest({ params });
  await openRounds(text, next, server, 1);
  expect(next.marks).toEqual(["hooks"]);
  await openRounds(await sealed(), next, server, 1);
  expect(next.marks).toBeUndefined();
});
