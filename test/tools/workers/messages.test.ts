import { describe, expect, test } from "bun:test";

import { JsonText } from "../../../src/base/weight.ts";
import {
  decodeFromToolWorker,
  decodeToToolWorker,
  encodeFromToolWorker,
  encodeJob,
  encodeToToolWorker,
  type FromToolWorker,
  joinMessages,
  type ToToolWorker,
} from "../../../src/tools/workers/messages.ts";

const nasty = 'tab\t newline\n quote" back\\ \u2028 \ud83d\ude00 {"kind":"ready"}';

describe("messages of a Worker", () => {
  const sent: FromToolWorker[] = [
    { kind: "ready" },
    { kind: "call", jobId: 12, method: "background.start", request: { command: nasty } },
    { kind: "done", jobId: 5, json: JSON.stringify({ text: nasty }) },
    {
      kind: "done",
      jobId: 6,
      json: JSON.stringify({ text: nasty }),
      afterDelivery: { advanceCursor: { to: 99 } },
    },
    { kind: "done", jobId: 8, json: "{}", dataJson: JSON.stringify({ text: nasty }) },
    {
      kind: "done",
      jobId: 9,
      json: "{}",
      dataJson: "{}",
      afterDelivery: { advanceCursor: { to: 99 } },
    },
    { kind: "fault", jobId: 7, fault: { code: -32602, message: nasty } },
  ];

  test.each(sent)("%j comes out as it went in", (message) => {
    expect(decodeFromToolWorker(encodeFromToolWorker(message))).toEqual([message]);
  });

  test("many together come out in order", () => {
    expect(decodeFromToolWorker(joinMessages(sent.map(encodeFromToolWorker)))).toEqual(sent);
  });
});

test("a reply that is JSON already is spliced in", () => {
  const value = { text: nasty, list: [1, null] };
  const reply = { ok: true as const, value: new JsonText(JSON.stringify(value)) };
  expect(decodeToToolWorker(encodeToToolWorker({ kind: "reply", jobId: 3, reply }))).toEqual([
    { kind: "reply", jobId: 3, reply: { ok: true, value } },
  ]);
});

test("messages to a Worker come out in order as they went in", () => {
  const parts = {
    tool: "Bash",
    args: { command: nasty, list: [null, 1.5] },
    version: "2025-11-25",
    limits: { resultCharsMax: 30_000, answerMs: null },
    snapshots: {},
  } as const;
  const record = [{ ok: true, value: nasty }] as const;
  const others: ToToolWorker[] = [
    { kind: "reply", jobId: 4, reply: { ok: false, code: "limit", message: nasty } },
    { kind: "drop", jobId: 4 },
  ];
  const jobs = [
    encodeJob(3, parts, []),
    encodeJob(5, { ...parts, canAsk: ["form", "url"] }, []),
    encodeJob(4, { ...parts, limits: { resultCharsMax: 1, answerMs: 0 } }, record),
  ];
  const text = joinMessages([...jobs, ...others.map(encodeToToolWorker)]);
  expect(decodeToToolWorker(text) as unknown).toEqual([
    { kind: "job", jobId: 3, ...parts, record: [] },
    { kind: "job", jobId: 5, ...parts, canAsk: ["form", "url"], record: [] },
    { kind: "job", jobId: 4, ...parts, limits: { resultCharsMax: 1, answerMs: 0 }, record },
    ...others,
  ]);
});
