import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { KeptResult, UpstreamCall, UpstreamCallEvents } from "../upstreams.ts";
import type { LogRate } from "./log-rate.ts";
import type { LaneEvent, UpstreamRequest } from "./messages.ts";
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

/** Has `work` do what is asked for: the value of the reply, `JsonText` for what is passed on. @throws as the work does */
export async function performRequest(
  work: UpstreamWork,
  request: UpstreamRequest,
  lane: RequestLane,
): Promise<unknown> {
  const { signal } = lane;
  switch (request.kind) {
    case "call":
      return performCall(work, request.call, lane);
    case "search":
      return work.search(request.query, signal);
    case "check":
      return work.checkArguments(request.server, request.tool, request.args, signal);
    case "control":
      return work.control(request.control, signal);
    case "info":
      return work.infoList();
    case "subscribe":
      return work.subscribe(request.uri, request.clientId);
  }
}

async function performCall(
  work: UpstreamWork,
  call: UpstreamCall,
  lane: RequestLane,
): Promise<unknown> {
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
    return reply.kind === "result" ? reply.json : reply;
  } finally {
    progress.end();
  }
}
