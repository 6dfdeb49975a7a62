import * as z from "zod/mini";

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
});
