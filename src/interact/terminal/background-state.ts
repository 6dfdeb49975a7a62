import type { BackgroundEntry } from "../attach/messages.ts";
import { describeState } from "../../base/task-state-text.ts";
import type { Look } from "./look.ts";
import { passingTime } from "./time-text.ts";

/** The state of a background task, as one sign. */
export function signOf({ state }: Pick<BackgroundEntry, "state">, look: Look): string {
  switch (state) {
    case "running":
      return look.accent(look.signs.running);
    case "exited":
      return look.good(look.signs.done);
    case "failed":
    case "killed":
    case "timed_out":
    case "lost":
      return look.bad(look.signs.failed);
  }
}

/** As many words as a column has room for. */
export function shortState(entry: BackgroundEntry, now: number): string {
  if (entry.state === "running") return passingTime(now - entry.startedAt);
  const time = passingTime(entry.runtimeMs);
  if (entry.state === "exited") return `done after ${time}`;
  if (entry.state === "failed") return `${entry.signal ?? `code ${entry.exitCode}`} after ${time}`;
  return `${entry.state.replace("_", " ")} after ${time}`;
}

/** Everything known about a task's state. */
export function longState(entry: BackgroundEntry, now: number): string {
  if (entry.state !== "running") return describeState(entry);
  const running = `running for ${passingTime(now - entry.startedAt)}`;
  // A call to another server is no process of ours.
  return entry.pid === 0 ? running : `${running}, pid ${entry.pid}`;
}
