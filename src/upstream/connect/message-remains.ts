import { upstreamRemainsBytesMax, upstreamRemainsMs } from "../../base/upstream-limits.ts";

let bytes = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * So much was read from servers: what it was made into is given back to the system from time to time. Left alone the runtime
 * waits until as much again is in use.
 */
export function noteRead(messageBytes: number): void {
  bytes += messageBytes;
  if (bytes >= upstreamRemainsBytesMax) timer ??= setTimeout(collect, upstreamRemainsMs);
}

function collect(): void {
  timer = undefined;
  bytes = 0;
  Bun.gc(true);
}
