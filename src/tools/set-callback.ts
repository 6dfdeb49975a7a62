import * as z from "zod/mini";

import { AppError } from "../base/errors.ts";
import { callbackDelaySMax, callbackMessageCharsMax, callbackSlotsMax } from "../base/limits.ts";
import { describeCallbacks } from "../base/shown-state.ts";
import type { Callback, CallbackReply, CallbackRequest } from "./state-services.ts";
import { defineTool } from "./tool.ts";

const input = z.strictObject({
  action: z.enum(["set", "list", "cancel"]).check(z.describe("Action to take")),
  message: z.optional(z.string().check(z.describe("Text of the reminder (set)"))),
  delay_seconds: z.optional(z.int().check(z.describe("Seconds before each fire, 1 to 3600 (set)"))),
  repeat_count: z.optional(z.int().check(z.describe("Number of fires; default 20, -1 = forever"))),
  callback_id: z.optional(z.int().check(z.describe("The slot to cancel; default: all"))),
});

type Input = z.output<typeof input>;

const output = z.object({
  callbacks: z.array(
    z.object({
      callbackId: z.int(),
      message: z.string(),
      delaySeconds: z.int(),
      nextFireMs: z.int(),
      firesLeft: z.int(),
    }),
  ),
});

const repeatCountDefault = 20;

export const setCallback = defineTool({
  name: "SetCallback",
  title: "Be reminded later",
  description:
    "Reminds you of something after a delay, repeatedly: `message` comes back at the end of a later tool result. " +
    "Fires only while no tool call is running. Eight slots; they end when the client disconnects.",
  input,
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  touchesFiles: false,
  async handler(args, { callbacks }) {
    const request = requestOf(args);
    const reply = await callbacks.perform(request);
    return { text: composeText(request, reply), structured: structuredOf(reply) };
  },
});

function requestOf(args: Input): CallbackRequest {
  const { action, callback_id: callbackId } = args;
  switch (action) {
    case "set":
      return { action, ...specOf(args) };
    case "list":
      return { action };
    case "cancel":
      if (callbackId !== undefined)
        assertBetween("callback_id", callbackId, 0, callbackSlotsMax - 1);
      return { action, callbackId: callbackId ?? null };
  }
}

function specOf(args: Input): { message: string; delaySeconds: number; repeatCount: number } {
  const { message = "", delay_seconds: delaySeconds, repeat_count: count } = args;
  if (message.trim() === "")
    throw new AppError("usage", "set needs a message: the reminder's text.");
  if (message.length > callbackMessageCharsMax) {
    const length = message.length;
    throw new AppError(
      "usage",
      `message has ${length} characters; the limit is ${callbackMessageCharsMax}. Shorten it, or write it to a file and name the file.`,
    );
  }
  if (delaySeconds === undefined) {
    throw new AppError("usage", `set needs delay_seconds, from 1 to ${callbackDelaySMax}.`);
  }
  assertBetween("delay_seconds", delaySeconds, 1, callbackDelaySMax);
  const repeatCount = count ?? repeatCountDefault;
  if (repeatCount !== -1 && repeatCount < 1) {
    throw new AppError(
      "usage",
      `repeat_count is ${repeatCount}; it must be 1 or more, or -1 to repeat forever.`,
    );
  }
  // Half a character makes the JSON that it is in unreadable for some clients.
  return { message: message.toWellFormed(), delaySeconds, repeatCount };
}

function assertBetween(name: string, value: number, min: number, max: number): void {
  if (value >= min && value <= max) return;
  throw new AppError("usage", `${name} is ${value}; it must be from ${min} to ${max}.`);
}

function composeText({ action }: CallbackRequest, { callbacks, changed }: CallbackReply): string {
  const [first] = changed;
  if (action === "list" || first === undefined) return describeCallbacks(callbacks);
  const inUse = `${callbacks.length}/${callbackSlotsMax} in use`;
  if (action === "set")
    return `${scheduledText(first)}\ncallback_id: ${first.callbackId} (${inUse})`;
  const ids = changed.map(({ callbackId }) => callbackId).join(", ");
  return `Cancelled: ${changed.length === 1 ? "callback" : "callbacks"} ${ids} (${inUse}).`;
}

function scheduledText({ delaySeconds, firesLeft }: Callback): string {
  const repeats = firesLeft === -1 ? "repeats forever" : `repeats ${firesLeft} times`;
  return `Callback scheduled: fires every ${delaySeconds}s, ${repeats}.`;
}

function structuredOf({ callbacks }: CallbackReply): z.output<typeof output> {
  return { callbacks: [...callbacks] };
}
