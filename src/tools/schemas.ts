import * as z from "zod/mini";

/**
 * Notes of a result beside its data, a sentence or a line each: of the tool, and at the end of the gate (callbacks
 * that fired, skills to be loaded, warnings of hooks). In the output of each tool with `answersInJson`.
 */
export const notesSchema = z.optional(z.array(z.string()));

/** A background task in structured results. */
export const taskSchema = z.object({
  taskId: z.int(),
  kind: z.enum(["command", "call", "output"]),
  command: z.string(),
  state: z.enum(["running", "exited", "failed", "killed", "timed_out", "lost"]),
  exitCode: z.nullable(z.int()),
  signal: z.nullable(z.string()),
  endedBy: z.nullable(z.enum(["timeout", "cancelled", "killed", "user", "shutdown"])),
  pid: z.int(),
  runtimeMs: z.int(),
  unreadBytes: z.int(),
  isKept: z.optional(z.boolean()),
  note: z.optional(z.string()),
});
