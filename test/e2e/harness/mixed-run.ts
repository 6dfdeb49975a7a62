import { within } from "./conditions.ts";
import { mixedPlan, type PlannedRequest } from "./mixed-plan.ts";
import { allGone, uniqueSeconds } from "./processes.ts";
import type { ServerMessage } from "./server.ts";

/** One way to the server. */
export interface MixedChannel {
  /** Sends the request; resolves with its replies once no more can come. For one that `abort` cancels, `[]`. */
  send(request: PlannedRequest, abort: AbortSignal): Promise<readonly ServerMessage[]>;
  /** Resolves when the server has taken all that was sent before. */
  passed(): Promise<void>;
  /** What came without having been waited for. */
  strays(): readonly string[];
}

export interface MixedReport {
  readonly requests: number;
  readonly answered: number;
  readonly cancelled: number;
  readonly faults: readonly string[];
}

const replyMsMax = 60_000;

/**
 * Sends `count` requests of both eras, `inFlight` at a time, some of them cancelled. Each must be answered once with
 * what it asks for, or, when it was cancelled while it ran, not at all; and nothing may be left running.
 */
export async function runMixed(
  channel: MixedChannel,
  count: number,
  inFlight: number,
  seed: number,
): Promise<MixedReport> {
  const marker = uniqueSeconds();
  const plan = mixedPlan(count, marker, seed);
  const faults: string[] = [];
  let [next, answered, cancelled] = [0, 0, 0];
  const work = async (): Promise<void> => {
    for (;;) {
      const request = plan[next];
      next += 1;
      if (request === undefined) return;
      const replies = await runOne(channel, request);
      const fault = judge(request, replies);
      if (fault !== undefined) faults.push(fault);
      if (replies.length > 0) answered += 1;
      else cancelled += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
  await allGone(`sleep ${marker}`);
  await channel.passed();
  faults.push(...channel.strays());
  return { requests: count, answered, cancelled, faults };
}

async function runOne(
  channel: MixedChannel,
  request: PlannedRequest,
): Promise<readonly ServerMessage[]> {
  const abort = new AbortController();
  const replies = channel.send(request, abort.signal);
  if (request.expects === "silence") await channel.passed();
  if (request.expects === "silence" || request.expects === "either") abort.abort();
  return await within(`the end of ${JSON.stringify(request)}`, replyMsMax, replies);
}

function judge(request: PlannedRequest, replies: readonly ServerMessage[]): string | undefined {
  const { expects, isModern, id } = request;
  const described = `${JSON.stringify(request)} got ${JSON.stringify(replies).slice(0, 300)}`;
  const [reply, second] = replies;
  if (reply === undefined) {
    return expects === "silence" || expects === "either" ? undefined : `no reply: ${described}`;
  }
  if (second !== undefined) return `more than one reply: ${described}`;
  if (expects === "silence") return `a reply after its cancellation: ${described}`;
  if (reply.id !== id) return `another id: ${described}`;
  if (typeof expects === "number") {
    return reply.error?.code === expects ? undefined : `another outcome: ${described}`;
  }
  if (reply.result === undefined) return `no result: ${described}`;
  return "resultType" in reply.result === isModern ? undefined : `another era: ${described}`;
}
