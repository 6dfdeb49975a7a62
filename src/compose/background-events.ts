import type { BackgroundTask } from "../commands/background/client-tasks.ts";
import { cutEnd } from "../base/cut-text.ts";
import { shownCommandCharsMax } from "../base/limits.ts";
import type { ServerEvent } from "../base/server-events.ts";

/** Tells of a new background task now, and of its end when that comes. */
export function tellOfTask(
  emit: (event: ServerEvent) => void,
  clientId: string,
  { id: taskId, execution }: BackgroundTask,
): void {
  const command = cutEnd(execution.commandText, shownCommandCharsMax);
  const task = { kind: "background", clientId, taskId, command } as const;
  emit({ ...task, change: "started", exitCode: null });
  void execution.ended.then(() => {
    emit({ ...task, change: "ended", exitCode: execution.exit?.exitCode ?? null });
  });
}
