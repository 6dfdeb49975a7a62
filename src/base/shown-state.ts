import type { BackgroundKind, BackgroundState, EndReason } from "./background-state.ts";
import { formatDuration, oneLine } from "./cut-text.ts";
import { callbackListCharsMax, callbackSlotsMax } from "./limits.ts";
import { escapeUnsafe } from "./unsafe-characters.ts";

/** The state of a background task, of which all listings speak in the same words. */
export interface BackgroundStatus {
  /** Absent: a command. */
  readonly kind?: BackgroundKind;
  readonly state: BackgroundState;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Null when it ended by itself, or runs. */
  readonly endedBy: EndReason | null;
  readonly pid: number;
  readonly runtimeMs: number;
  /** Why it was ended, or is lost. */
  readonly note?: string | undefined;
}

/** The state of a task in words: `running for 3.2 s`, `exited with code 0 after 12 ms`. */
export function describeState(task: BackgroundStatus): string {
  if (task.kind === "output") return "an output that is kept in a file";
  const time = formatDuration(task.runtimeMs);
  switch (task.state) {
    case "running":
      return `running for ${time}`;
    case "exited":
      return `exited with code 0 after ${time}`;
    case "failed":
      return task.signal === null
        ? `failed with exit code ${task.exitCode} after ${time}`
        : `failed: ended by ${task.signal} after ${time}`;
    case "killed":
      return `killed (${killedBy(task)}) after ${time}${leaderEnd(task)}`;
    case "timed_out":
      return `timed out after ${time}${leaderEnd(task)}`;
    case "lost":
      return `lost: ${task.note ?? `it could not be ended (pid ${task.pid})`}`;
  }
}

function killedBy(task: BackgroundStatus): string {
  if (task.note !== undefined) return task.note;
  switch (task.endedBy) {
    case "cancelled":
      return "its call was cancelled";
    case "shutdown":
      return "the server was ending";
    case "user":
      return "by the user, in a terminal";
    case "killed":
    case "timeout":
    case null:
      return "by KillBgTask";
  }
}

function leaderEnd(task: BackgroundStatus): string {
  if (task.signal !== null) return `, by ${task.signal}`;
  return task.exitCode === null ? "" : `, exit code ${task.exitCode}`;
}

/** A callback as lists show it. */
interface ListedCallback {
  readonly callbackId: number;
  readonly message: string;
  readonly delaySeconds: number;
  /** Milliseconds; 0 = due, which waits for the end of the call that runs. */
  readonly nextFireMs: number;
  /** -1 = forever. */
  readonly firesLeft: number;
}

/** One line for each callback, as SetCallback lists them and as the resource shows them. */
export function describeCallbacks(callbacks: readonly ListedCallback[]): string {
  if (callbacks.length === 0) return "No active callbacks.";
  const title = `Active callbacks (${callbacks.length}/${callbackSlotsMax}):`;
  return [title, ...callbacks.map(describeCallback)].join("\n");
}

/** A message on one line, with nothing in it that cannot be seen. */
export function shownMessage(message: string, charsMax: number): string {
  return escapeUnsafe(oneLine(message.toWellFormed(), charsMax));
}

function describeCallback({
  callbackId,
  message,
  delaySeconds,
  nextFireMs,
  firesLeft,
}: ListedCallback): string {
  const next =
    nextFireMs === 0
      ? `due: ${delaySeconds}s after the running call`
      : `next in ${Math.ceil(nextFireMs / 1_000)}s`;
  const left = firesLeft === -1 ? "repeats forever" : `${firesLeft} left`;
  return `${callbackId}: ${shownMessage(message, callbackListCharsMax)} (every ${delaySeconds}s, ${next}, ${left})`;
}
