import { expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import type { CallRequest } from "../../../src/calls/call.ts";
import { CallingClients } from "../../../src/calls/gate/calling-clients.ts";

function callOf(id: string): CallRequest {
  const client = {
    id,
    limits: { answerMs: 0, resultCharsMax: 1 },
    workspaceDir: () => Promise.resolve("/"),
  };
  const cancellation = new Cancellation();
  return { name: "T", args: {}, version: "2025-11-25", client, cancellation };
}

test("CallingClients counts the calls of each client, and tells of the first and of the end of the last", () => {
  const running = new CallingClients();
  const heard: string[] = [];
  const stop = running.listen((clientId, count) => heard.push(`${clientId} ${count}`));
  const [first, second, other] = [callOf("a"), callOf("a"), callOf("b")];
  running.began(first);
  running.began(second);
  running.began(other);
  expect(["a", "b", "c"].map((id) => running.of(id))).toEqual([2, 1, 0]);
  running.ended(first);
  running.ended(second);
  expect(running.of("a")).toBe(0);
  expect(heard).toEqual(["a 1", "b 1", "a 0"]);
  stop();
  running.ended(other);
  expect(heard.length).toBe(3);
});
