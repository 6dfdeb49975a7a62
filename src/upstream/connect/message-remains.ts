import {
  upstreamRemainsBytesMax,
  upstreamRemainsBytesMin,
  upstreamRemainsMs,
} from "../../base/upstream-limits.ts";

let bytes = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let isDue = false;

/**
 * So much was read from servers: what it was made into is given back to the system from time to time. Left alone the runtime
 * waits until as much again is in use.
 */
export function noteRead(messageBytes: number): void {
  bytes += messageBytes;
  if (bytes >= upstreamRemainsBytesMin) timer ??= setTimeout(collect, upstreamRemainsMs);
  if (bytes < upstreamRemainsBytesMax || isDue) return;
  isDue = true;
  // When whoever has read it has let go of its text.
  queueMicrotask(collect);
}

function collect(): void {
  clearTimeout(timer);
  timer = undefined;
  isDue = false;
  bytes = 0;
  Bun.gc(true);
}
