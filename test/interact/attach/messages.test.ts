import { expect, test } from "bun:test";

import { readTerminalMessage } from "../../../src/interact/attach/messages.ts";
import { questionOtherCharsMax } from "../../../src/base/limits.ts";

const longest = "x".repeat(questionOtherCharsMax);
const answered = (answers: unknown): unknown => ({
  type: "answer",
  number: 1,
  reply: { kind: "answered", answers },
});

test.each<[what: string, value: unknown]>([
  ["the greeting", { type: "attach", protocol: 1, key: "k", mode: "look" }],
  ["an answer", answered([{ labels: ["A"], other: null }])],
  ["the longest words of one's own", answered([{ labels: [], other: longest }])],
  ["a decline", { type: "answer", number: 1, reply: { kind: "declined" } }],
  ["a look at output", { type: "watch", client: "stdio", taskId: 1 }],
  ["the end of it", { type: "unwatch" }],
  ["a kill", { type: "kill", request: 1, client: "stdio", taskId: 1 }],
  ["a cancel", { type: "cancel_callback", request: 1, client: "stdio", callbackId: 0 }],
])("%s is read as it is", (_, value) => {
  expect(readTerminalMessage(JSON.stringify(value)) as unknown).toEqual(value);
});

test.each<[what: string, line: string]>([
  ["no JSON", "{"],
  ["nothing", ""],
  ["null", "null"],
  ["an array", "[]"],
  ["an unknown type", JSON.stringify({ type: "toString" })],
  ["a key that is no text", JSON.stringify({ type: "attach", protocol: 1, key: 1, mode: "look" })],
  ["an unknown mode", JSON.stringify({ type: "attach", protocol: 1, key: "", mode: "x" })],
  ["a negative id", JSON.stringify({ type: "watch", client: "stdio", taskId: -1 })],
  ["half an id", JSON.stringify({ type: "watch", client: "stdio", taskId: 0.5 })],
  [
    "gone, which only we say",
    JSON.stringify({ type: "answer", number: 1, reply: { kind: "gone" } }),
  ],
  ["answers that are none", JSON.stringify(answered("x"))],
  [
    "too many answers",
    JSON.stringify(answered(Array.from({ length: 17 }, () => ({ labels: [], other: null })))),
  ],
  ["an answer without labels", JSON.stringify(answered([{ other: null }]))],
  ["labels that are no texts", JSON.stringify(answered([{ labels: [1], other: null }]))],
  ["words that are too long", JSON.stringify(answered([{ labels: [], other: `${longest}x` }]))],
])("%s is refused", (_, line) => {
  expect(readTerminalMessage(line)).toBeUndefined();
});
