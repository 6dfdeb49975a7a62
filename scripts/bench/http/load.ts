/** The load generator: a process of its own, so that its work and the server's are not on one thread. */
import { nowMs } from "../client/clock.ts";
import { summarize } from "../stats.ts";
import { Caller, LegacySession, modernEncoder } from "./caller.ts";
import { HttpClient } from "./http-client.ts";
import type { LoadPlan, LoadResult } from "./load-plan.ts";

/** Rejects at the first call that is not answered as it should be. */
export async function generateLoad(plan: LoadPlan): Promise<LoadResult> {
  const url = new URL(plan.url);
  await using stack = new AsyncDisposableStack();
  const callers: Caller[] = [];
  for (let index = 0; index < plan.clients; index++) {
    const client = stack.use(await HttpClient.connect(url));
    callers.push(new Caller(client, await encoderFor(client, plan, stack)));
  }
  await runCalls(callers, plan.warmUpCalls);
  const startedAtMs = nowMs();
  const latenciesUs = await runCalls(callers, plan.calls);
  const elapsedMs = nowMs() - startedAtMs;
  return {
    callsPerSecond: (latenciesUs.length / elapsedMs) * 1000,
    latencyUs: summarize(latenciesUs),
  };
}

async function encoderFor(
  client: HttpClient,
  { era, call, url }: LoadPlan,
  stack: AsyncDisposableStack,
): Promise<ReturnType<typeof modernEncoder>> {
  if (era === "modern") return modernEncoder(new URL(url), call);
  const session = await LegacySession.begin(client, new URL(url));
  stack.defer(() => session.end(client));
  return session.encoder(call);
}

/** Shares `count` calls among all callers; the µs that each call took. */
async function runCalls(callers: readonly Caller[], count: number): Promise<number[]> {
  const latenciesUs: number[] = [];
  let left = count;
  const runOne = async (caller: Caller): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const startedAtMs = nowMs();
      await caller.call();
      latenciesUs.push((nowMs() - startedAtMs) * 1000);
    }
  };
  await Promise.all(callers.map(runOne));
  return latenciesUs;
}

if (import.meta.main) {
  const plan = JSON.parse(process.argv[2] ?? "") as LoadPlan;
  console.log(JSON.stringify(await generateLoad(plan)));
}
