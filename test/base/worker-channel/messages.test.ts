import { expect, test } from "bun:test";

import { JsonText } from "../../../src/base/weight.ts";
import {
  encodeFromWorker,
  decodeFromWorker,
  type FromWorker,
} from "../../../src/base/worker-channel/channel-messages.ts";

type Message = FromWorker<unknown>;

const raw = (id: number): Message => ({
  kind: "done",
  id,
  value: new JsonText('{"content":[{"text":"\\n 5 [{"}]}'),
});
const rows: [string, number, Message[]][] = [
  ["nothing", 0, []],
  ["a reply", 1, [{ kind: "done", id: 1, value: { a: [null, "ü\u2028"] } }]],
  ["a reply without a value", 1, [{ kind: "done", id: 1 }]],
  ["a failure", 1, [{ kind: "failed", id: 2, code: "limit", message: "x" }]],
  ["JSON that is passed on", 1, [raw(12)]],
  [
    "several, in their order",
    3,
    [{ kind: "post", post: 1 }, { kind: "pong" }, raw(1), { kind: "closed" }],
  ],
  ["raw ones beside each other", 2, [raw(1), raw(2)]],
];

test.each(rows)("%s crosses in %i texts, as it is", (_name, count, messages) => {
  const texts = encodeFromWorker(messages);
  expect(texts.length).toBe(count);
  expect(texts.flatMap((text) => decodeFromWorker(text))).toEqual(messages);
});
