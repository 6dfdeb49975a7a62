import { processorMs } from "../client/process-info.ts";
import { runLoad } from "../http/run-load.ts";
import { cheapRequest } from "../participant.ts";
import type { Participant } from "../participant.ts";
import { summarize } from "../stats.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

/** The engines go on compiling for some thousand calls, on the cores that the servers want. */
const warmUpCalls = 5000;

/** Microseconds of calls, one at a time. */
interface Latencies {
  readonly p50: number;
  readonly p99: number;
}

/** One cheap call of one server, called directly and through gateways. */
export const relay: Phase = async (participants, { cheapCalls, rounds }) => {
  const taking = participants.filter(({ adapter }) => adapter.relay !== undefined);
  const calls = Math.ceil(cheapCalls / rounds);
  await interleave("relay", taking, 1, (participant) => void latencies(participant, warmUpCalls));
  await interleave("relay", taking, rounds, (participant) => measure(participant, calls));
  const overPipes = taking.filter(({ adapter }) => adapter.relay === "stdio");
  await interleave("relay", overPipes, 1, async (participant) => {
    await clientLatencies(participant, warmUpCalls);
  });
  await interleave("relay", overPipes, rounds, (participant) =>
    measureByClient(participant, calls),
  );
};

/** The same as a user's client sees it, whose own work is in both figures. */
async function measureByClient(participant: Participant, calls: number): Promise<void> {
  const { p50, p99 } = summarize(await clientLatencies(participant, calls));
  participant.record("relayClientUs", p50);
  participant.record("relayClientP99Us", p99);
}

async function clientLatencies(participant: Participant, calls: number): Promise<number[]> {
  const { cheap } = participant.adapter;
  if (cheap === "ping") throw new Error("only calls of tools are relayed");
  const client = await participant.officialClient();
  const tookUs: number[] = [];
  for (let call = 0; call < calls; call++) tookUs.push((await client.time(cheap)) * 1000);
  return tookUs;
}

function measure(participant: Participant, calls: number): void {
  const { pid } =
    participant.adapter.relay === "http" ? participant.httpServer() : participant.connection();
  const processorMsBefore = processorMs(pid);
  const { p50, p99 } = latencies(participant, calls);
  participant.record("relayProcessorUs", ((processorMs(pid) - processorMsBefore) * 1000) / calls);
  participant.record("relayUs", p50);
  participant.record("relayP99Us", p99);
}

function latencies(participant: Participant, calls: number): Latencies {
  const { http, relay: way } = participant.adapter;
  if (way === "http" && http !== undefined) {
    const { url } = participant.httpServer();
    const plan = {
      url,
      era: "legacy",
      call: http.cheap,
      clients: 1,
      warmUpCalls: 0,
      calls,
    } as const;
    return runLoad(plan).latencyUs;
  }
  const connection = participant.connection();
  const callOnce = (): number => {
    return connection.time(cheapRequest(participant, connection)).ms * 1000;
  };
  return summarize(Array.from({ length: calls }, callOnce));
}
