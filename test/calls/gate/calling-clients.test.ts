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

test("CallingClients tells a listener of its own clients only", () => {
  const running = new CallingClients();
  const own = new Set<string>();
  const heard: string[] = [];
  running.listen((clientId, count) => heard.push(`${clientId} ${count}`), own);
  running.began(callOf("a"));
  running.began(callOf("b"));
  own.add("a");
  running.ended(callOf("a"));
  running.ended(callOf("b"));
  expect(heard).toEqual(["a 0"]);
});

test("CallingClients: a client that is gone is neither idle nor recent, also when its calls end later", () => {
  const running = new CallingClients();
  for (const id of ["stays", "goes", "goes early"]) running.began(callOf(id));
  running.forget("goes early");
  for (const id of ["stays", "goes", "goes early"]) running.ended(callOf(id));
  running.forget("goes");
  expect([...running.idleSince.keys()]).toEqual(["stays"]);
  expect(running.recent().map(({ id }) => id)).toEqual(["stays"]);
  // The same id again, as of a principal that comes back.
  running.began(callOf("goes early"));
  expect(running.idleSince.has("goes early")).toBe(false);
  running.ended(callOf("goes early"));
  expect([...running.idleSince.keys()]).toEqual(["stays", "goes early"]);
});
