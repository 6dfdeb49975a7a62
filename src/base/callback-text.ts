import { oneLine } from "./cut-text.ts";
import { callbackListCharsMax, callbackSlotsMax } from "./limits.ts";
import { escapeUnsafe } from "./unsafe-characters.ts";

/** A callback as lists show it. */
export interface ListedCallback {
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
