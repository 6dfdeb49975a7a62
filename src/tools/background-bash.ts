import * as z from "zod/mini";

import { describeState } from "../base/shown-state.ts";
import { taskSchema } from "./schemas.ts";
import { sandboxText } from "./shown-output.ts";
import { defineTool } from "./tool.ts";

export const backgroundBash = defineTool({
  name: "BackgroundBash",
  title: "Start a command in the background",
  description:
    "Starts a shell command in the background and returns its task_id immediately. " +
    "Use it for servers, watchers and long builds. Read its output with ReadBgOutput, " +
    "list tasks with ListBgTasks, end it with KillBgTask. It is ended when the client disconnects.",
  input: z.strictObject({
    command: z.string().check(z.minLength(1), z.describe("Command text, as for `bash -c`")),
  }),
  output: z.extend(taskSchema, { sandbox: z.nullable(z.string()) }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  taskSupport: "optional",
  async handler({ command }, { background }) {
    const { task, notes } = await background.start({ command });
    const sandbox = sandboxText(notes);
    const structured = { ...task, sandbox };
    const started =
      `Started in the background as task_id: ${task.taskId} (pid ${task.pid}). ` +
      `Read its output with ReadBgOutput.${sandbox === null ? "" : `\n${sandbox}`}`;
    if (task.state === "running") return { text: started, structured };
    // As an MCP task, the call waited for the command to end.
    const text = `${started}\nTask ${task.taskId}: ${describeState(task)}.`;
    const isError = task.state === "failed" || task.state === "lost";
    return { text, structured, isError };
  },
});
