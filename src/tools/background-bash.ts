import * as z from "zod/mini";

import { taskSchema } from "./task-text.ts";
import { defineTool } from "./tool.ts";

export const backgroundBash = defineTool({
  name: "BackgroundBash",
  title: "Start a command in the background",
  description:
    "Starts a shell command in the background and answers at once with its task_id. " +
    "For servers, watchers and long builds. Read its output with ReadBgOutput, " +
    "see all with ListBgTasks, end it with KillBgTask. It is ended when the client goes.",
  input: z.strictObject({
    command: z.string().check(z.minLength(1), z.describe("Command text, as for `bash -c`")),
  }),
  output: taskSchema,
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  async handler({ command }, { background }) {
    const task = await background.start({ command });
    const text =
      `Started in the background as task_id: ${task.taskId} (pid ${task.pid}). ` +
      `Read its output with ReadBgOutput.`;
    return { text, structured: task };
  },
});
