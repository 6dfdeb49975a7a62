import { cutEnd } from "../base/cut-text.ts";
import { shownCommandCharsMax } from "../base/limits.ts";
import type { ServerEvent } from "../base/server-events.ts";
import type { Changes } from "../calls/features.ts";
import { announceBackgroundTask } from "../calls/resources/own-resources.ts";
import type { BackgroundTask } from "../commands/background/client-tasks.ts";

/** Reports a new background task now, and its end when that comes. */
export function tellOfBackgroundTask(
  { changes, emit }: { readonly changes: Changes; readonly emit: (event: ServerEvent) => void },
  clientId: string,
  background: BackgroundTask,
): void {
  announceBackgroundTask(changes, clientId, background);
  const { id: taskId, execution } = background;
  const command = cutEnd(execution.commandText, shownCommandCharsMax);
  const task = { kind: "background", clientId, taskId, command } as const;
  emit({ ...task, change: "started", exitCode: null });
  void execution.ended.then(() => {
    emit({ ...task, change: "ended", exitCode: execution.exit?.exitCode ?? null });
  });
}
