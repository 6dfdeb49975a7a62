import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { KeptResult, UpstreamCall, UpstreamCallEvents } from "../upstreams.ts";
import type { LogRate } from "./log-rate.ts";
import type { FromUpstreamWorker, LaneEvent, UpstreamRequest } from "./messages.ts";
import { PacedProgress } from "./paced-progress.ts";
import type { UpstreamWork } from "./upstream-work.ts";

/** What belongs to one request beside its reply. */
export interface RequestLane {
  readonly id: number;
  readonly signal: AbortSignal;
  readonly tell: (event: LaneEvent) => void;
  readonly ask: (callId: number, request: InputRequest) => Promise<Params>;
  readonly keep: (callId: number, output: KeptResult) => Promise<number | undefined>;
  readonly logRate: LogRate;
}

/** Has `work` do what is asked for. @throws as the work does */
export async function performRequest(
  work: UpstreamWork,
  request: UpstreamRequest,
  lane: RequestLane,
): Promise<FromUpstreamWorker> {
  const { id, signal } = lane;
  switch (request.kind) {
    case "call":
      return performCall(work, request.call, lane);
    case "search":
      return { kind: "result", id, json: await work.search(request.query, signal) };
    case "check": {
      const { server, tool, args } = request;
      const value = await work.checkArguments(server, tool, args, signal);
      return { kind: "reply", id, value };
    }
    case "control":
      return { kind: "reply", id, value: await work.control(request.control, signal) };
    case "info":
      return { kind: "reply", id, value: work.infoList() };
    case "subscribe":
      return { kind: "reply", id, value: await work.subscribe(request.uri, request.clientId) };
  }
}

async function performCall(
  work: UpstreamWork,
  call: UpstreamCall,
  lane: RequestLane,
): Promise<FromUpstreamWorker> {
  const { id, signal } = lane;
  const progress = new PacedProgress((value, total, message) =>
    lane.tell({
      kind: "progress",
      id,
      progress: value,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    }),
  );
  const events: UpstreamCallEvents = {
    ...(call.wantsProgress && { onProgress: progress.report }),
    ask: (request) => lane.ask(id, request),
    keep: (output) => lane.keep(id, output),
    log(level, data, logger) {
      if (signal.aborted || !lane.logRate.mayPass(call.server)) return;
      lane.tell({ kind: "log", id, level, data, ...(logger !== undefined && { logger }) });
    },
  };
  try {
    const reply = await work.call(call, events, signal);
    return reply.kind === "result"
      ? { kind: "result", id, json: reply.json }
      : { kind: "reply", id, value: reply };
  } finally {
    progress.end();
  }
}
