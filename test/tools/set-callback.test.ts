import { describe, expect, test } from "bun:test";

import { AppError } from "../../src/base/errors.ts";
import type { Callback, CallbackReply, CallbackRequest } from "../../src/tools/state-services.ts";
import { setCallback } from "../../src/tools/set-callback.ts";
import type { ToolOutput } from "../../src/tools/tool.ts";
import { fakeContext } from "./fake-context.ts";

type Args = Parameters<typeof setCallback.handler>[0];

/** The result for these arguments, and what the service was asked. */
async function run(args: Args, reply: Partial<CallbackReply> = {}) {
  const requests: CallbackRequest[] = [];
  const callbacks = {
    perform: (request: CallbackRequest) => {
      requests.push(request);
      return Promise.resolve({ callbacks: [], changed: [], ...reply });
    },
  };
  const output: ToolOutput = await setCallback.handler(args, fakeContext({ callbacks }));
  return { output, requests };
}

const one: Callback = {
  callbackId: 0,
  message: "check the build",
  delaySeconds: 30,
  nextFireMs: 12_001,
  firesLeft: 40,
};
const set = { action: "set", message: "m", delay_seconds: 30 } as const;

describe("SetCallback, what is asked", () => {
  test.each<[Args, CallbackRequest]>([
    [set, { action: "set", message: "m", delaySeconds: 30, repeatCount: 20 }],
    [
      { ...set, message: "half \ud83d" },
      { action: "set", message: "half \ufffd", delaySeconds: 30, repeatCount: 20 },
    ],
    [
      { ...set, repeat_count: -1, delay_seconds: 1 },
      { action: "set", message: "m", delaySeconds: 1, repeatCount: -1 },
    ],
    [
      { ...set, repeat_count: 1, delay_seconds: 3_600, message: "x".repeat(2_048) },
      { action: "set", message: "x".repeat(2_048), delaySeconds: 3_600, repeatCount: 1 },
    ],
    [{ action: "list" }, { action: "list" }],
    [{ action: "cancel" }, { action: "cancel", callbackId: null }],
    [
      { action: "cancel", callback_id: 0 },
      { action: "cancel", callbackId: 0 },
    ],
    [
      { action: "cancel", callback_id: 7 },
      { action: "cancel", callbackId: 7 },
    ],
  ])("%j", async (args, request) => {
    expect((await run(args)).requests).toEqual([request]);
  });

  test.each<[Args, string]>([
    [{ action: "set", delay_seconds: 1 }, "set needs a message: the reminder's text."],
    [{ ...set, message: " \n" }, "set needs a message: the reminder's text."],
    [
      { ...set, message: "x".repeat(2_049) },
      "message has 2049 characters; the limit is 2048. Shorten it, or write it to a file and name the file.",
    ],
    [{ action: "set", message: "m" }, "set needs delay_seconds, from 1 to 3600."],
    [{ ...set, delay_seconds: 0 }, "delay_seconds is 0; it must be from 1 to 3600."],
    [{ ...set, delay_seconds: 3_601 }, "delay_seconds is 3601; it must be from 1 to 3600."],
    [
      { ...set, repeat_count: 0 },
      "repeat_count is 0; it must be 1 or more, or -1 to repeat forever.",
    ],
    [
      { ...set, repeat_count: -2 },
      "repeat_count is -2; it must be 1 or more, or -1 to repeat forever.",
    ],
    [{ action: "cancel", callback_id: 8 }, "callback_id is 8; it must be from 0 to 7."],
    [{ action: "cancel", callback_id: -1 }, "callback_id is -1; it must be from 0 to 7."],
  ])("%j is refused by name", async (args, message) => {
    const refusal = await run(args).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AppError);
    expect((refusal as AppError).message).toBe(message);
  });
});

describe("SetCallback, what is answered", () => {
  const forever = { ...one, callbackId: 5, message: "a\nb\u0007", nextFireMs: 0, firesLeft: -1 };
  test.each<[string, Args, CallbackReply, string]>([
    [
      "set",
      set,
      { callbacks: [one], changed: [one] },
      "Callback scheduled: fires every 30s, repeats 40 times.\ncallback_id: 0 (1/8 in use)",
    ],
    [
      "set for ever",
      set,
      { callbacks: [forever], changed: [forever] },
      "Callback scheduled: fires every 30s, repeats forever.\ncallback_id: 5 (1/8 in use)",
    ],
    ["an empty list", { action: "list" }, { callbacks: [], changed: [] }, "No active callbacks."],
    [
      "a list",
      { action: "list" },
      { callbacks: [one, forever], changed: [] },
      "Active callbacks (2/8):\n" +
        "0: check the build (every 30s, next in 13s, 40 left)\n" +
        "5: a b\\u{7} (every 30s, due: 30s after the running call, repeats forever)",
    ],
    [
      "cancel one",
      { action: "cancel", callback_id: 0 },
      { callbacks: [forever], changed: [one] },
      "Cancelled: callback 0 (1/8 in use).",
    ],
    [
      "cancel all",
      { action: "cancel" },
      { callbacks: [], changed: [one, forever] },
      "Cancelled: callbacks 0, 5 (0/8 in use).",
    ],
    [
      "cancel all of none",
      { action: "cancel" },
      { callbacks: [], changed: [] },
      "No active callbacks.",
    ],
  ])("%s", async (_, args, reply, text) => {
    const { output } = await run(args, reply);
    expect(output).toEqual({ text, structured: { callbacks: [...reply.callbacks] } });
  });
});
