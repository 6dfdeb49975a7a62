import * as z from "zod/mini";

import { describeState } from "../base/shown-state.ts";
import { taskSchema } from "./schemas.ts";
import type { StartReply } from "./services.ts";
import { sandboxText } from "./shown-output.ts";
import { defineTool } from "./tool.ts";

export const backgroundBash = defineTool({
  name: "BackgroundBash",
  title: "Start a command in the background",
  description:
    "Starts a shell command in the background and returns its task_id immediately. " +
    "Use it for servers, watchers and long builds. Read its output with ReadBgOutput, " +
    "list tasks with ListBgTasks, end it with KillBgTask. It is ended when the client disconnects, unless keep is true.",
  input: z.strictObject({
    command: z.string().check(z.minLength(1), z.describe("Command text, as for `bash -c`")),
    keep: z
      .optional(z.boolean())
      .check(
        z.describe(
          "The task outlives this client and belongs to the workspace: later clients list, read and end it by the same task_id",
        ),
      ),
  }),
  output: z.extend(taskSchema, { sandbox: z.nullable(z.string()) }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  taskSupport: "optional",
  async handler({ command, keep }, { background }) {
    const reply = await background.start({ command, keep });
    const { task, notes } = reply;
    const sandbox = sandboxText(notes);
    const structured = { ...task, sandbox };
    const started =
      `Started in the background as task_id: ${task.taskId} (pid ${task.pid}). ` +
      `Read its output with ReadBgOutput.${keptText(reply)}${sandbox === null ? "" : `\n${sandbox}`}`;
    if (task.state === "running") return { text: started, structured };
    // As an MCP task, the call waited for the command to end.
    const text = `${started}\nTask ${task.taskId}: ${describeState(task)}.`;
    const isError = task.state === "failed" || task.state === "lost";
    return { text, structured, isError };
  },
});

/** How long it runs at most, where that is not as usual. */
function keptText({ task, endsWith, notKept }: StartReply): string {
  if (notKept !== undefined) return ` It ends with this client, and could not be kept: ${notKept}.`;
  if (task.isKept !== true) return "";
  return endsWith === undefined
    ? " It goes on when this client ends; later clients of this workspace have it under the same task_id."
    : ` Later clients of this workspace have it under the same task_id, but it ends with ${endsWith}.`;
}
