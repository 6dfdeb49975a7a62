import { processorMs } from "../client/process-info.ts";
import type { LoadPlan, LoadResult } from "../http/load-plan.ts";
import { runLoad } from "../http/run-load.ts";
import type { Participant } from "../participant.ts";
import type { Settings } from "../settings.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

const clients = 64;
/** The engines compile what runs often: the first calls cost several times what the later ones do. */
const serverWarmUpShare = 2;
/** For the load generator itself, which is a new process each time. */
const warmUpShare = 0.1;
/** One client, and the calls in sessions, get a part of the calls. */
const sideShare = 0.1;

type Load = Pick<LoadPlan, "era" | "clients"> & { readonly calls: number };

/** Calls a second and what they cost, over keep-alive connections, each with one call at a time. */
export const http: Phase = async (participants, { httpCalls, httpRounds }) => {
  const taking = participants.filter(({ adapter }) => adapter.http !== undefined);
  const warmUp: Load = { era: "modern", clients, calls: httpCalls * serverWarmUpShare };
  await interleave("http", taking, 1, (participant) => void load(participant, warmUp));
  await interleave("http", taking, httpRounds, (participant) => measure(participant, httpCalls));
};

function measure(participant: Participant, calls: Settings["httpCalls"]): void {
  const { pid } = participant.httpServer();
  const processorMsBefore = processorMs(pid);
  const many = load(participant, { era: "modern", clients, calls });
  const usedMs = processorMs(pid) - processorMsBefore;
  participant.record("httpPerSecond", many.callsPerSecond);
  participant.record("httpP99Ms", many.latencyUs.p99 / 1000);
  participant.record("httpProcessorUs", (usedMs * 1000) / (calls * (1 + warmUpShare)));
  const side = calls * sideShare;
  const one = load(participant, { era: "modern", clients: 1, calls: side });
  participant.record("httpCallUs", one.latencyUs.p50);
  if (participant.adapter.http?.hasSessions !== true) return;
  const legacy = load(participant, { era: "legacy", clients, calls: calls / 2 });
  participant.record("httpLegacyPerSecond", legacy.callsPerSecond);
}

function load(participant: Participant, { era, clients, calls }: Load): LoadResult {
  const { http } = participant.adapter;
  if (http === undefined) throw new Error("the server does not serve HTTP");
  const { url } = participant.httpServer();
  return runLoad({ url, era, call: http.cheap, clients, calls, warmUpCalls: calls * warmUpShare });
}
