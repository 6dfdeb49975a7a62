import * as z from "zod/mini";

import { AppError } from "../base/errors.ts";
import { defineTool } from "./tool.ts";

const input = z.strictObject({
  action: z.enum(["set", "list", "cancel"]).check(z.describe("What to do")),
  message: z.optional(z.string().check(z.describe("What to be reminded of (set)"))),
  delay_seconds: z.optional(z.int().check(z.describe("Seconds before each fire, 1 to 3600 (set)"))),
  repeat_count: z.optional(
    z.int().check(z.describe("How often it fires; default 20, -1 = for ever")),
  ),
  callback_id: z.optional(z.int().check(z.describe("The slot to cancel; default: all"))),
});

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

export const setCallback = defineTool({
  name: "SetCallback",
  title: "Be reminded later",
  description:
    "Reminds you of something after a delay, repeatedly: `message` comes back at the end of a later tool result. " +
    "Fires only while no tool call is running. Eight slots; they end with the client.",
  input,
  output,
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  handler() {
    throw new AppError("unsupported", "This is not built yet.");
  },
});
