import * as z from "zod/mini";

import { backgroundKinds, backgroundStates, endReasons } from "../base/background-state.ts";

/**
 * Notes of a result beside its data, a sentence or a line each: of the tool, and at the end of the gate (callbacks
 * that fired, skills to be loaded, warnings of hooks). In the output of each tool with `answersInJson`.
 */
export const notesSchema = z.optional(z.array(z.string()));

/** A background task in structured results. */
export const taskSchema = z.object({
  taskId: z.int(),
  kind: z.enum(backgroundKinds),
  command: z.string(),
  state: z.enum(backgroundStates),
  exitCode: z.nullable(z.int()),
  signal: z.nullable(z.string()),
  endedBy: z.nullable(z.enum(endReasons)),
  pid: z.int(),
  runtimeMs: z.int(),
  unreadBytes: z.int(),
  isKept: z.optional(z.boolean()),
  note: z.optional(z.string()),
});
