import { nowMs } from "./clock.ts";
import type { Connection } from "./connection.ts";
import { excerptOf } from "./message.ts";
import type { Request } from "./message.ts";

const runTimeoutMs = 60_000;

export interface PipelinedRun {
  /** One entry per call. */
  readonly latenciesMs: readonly number[];
  readonly callsPerSecond: number;
}

/** Makes `count` calls with at most `window` unanswered at any time. Throws when one fails. */
export function runPipelined(
  connection: Connection,
  count: number,
  window: number,
  createRequest: () => Request,
): PipelinedRun {
  const latenciesMs: number[] = [];
  const sentAtMs = new Map<number, number>();
  const startedAtMs = nowMs();
  let sent = 0;

  const refill = (): void => {
    let batch = "";
    for (; sent < count && sentAtMs.size < window; sent++) {
      const request = createRequest();
      batch += request.line;
      sentAtMs.set(request.id, nowMs());
    }
    if (batch !== "") connection.send(batch);
  };

  refill();
  while (latenciesMs.length < count) {
    const reply = connection.nextReply(startedAtMs + runTimeoutMs);
    const sentAt = sentAtMs.get(reply.id);
    if (sentAt === undefined) continue;
    if (reply.failed) throw new Error(`a pipelined call failed: ${excerptOf(reply)}`);
    latenciesMs.push(nowMs() - sentAt);
    sentAtMs.delete(reply.id);
    // Refilling once per chunk of replies, not once per reply, is what a batching client does.
    if (!connection.hasBufferedLine() || sentAtMs.size < window / 2) refill();
  }
  return { latenciesMs, callsPerSecond: (count / (nowMs() - startedAtMs)) * 1000 };
}
