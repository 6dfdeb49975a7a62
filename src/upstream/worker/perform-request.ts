import { progressPerSecondMax } from "../../base/limits.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { KeptResult, UpstreamCall, UpstreamCallEvents } from "../upstreams.ts";
import type { LogRate } from "./event-outbox.ts";
import type { LaneEvent, UpstreamRequest } from "./messages.ts";
import type { UpstreamWork } from "./upstream-options.ts";

/** The context of one request. */
export interface RequestLane {
  readonly id: number;
  readonly signal: AbortSignal;
  readonly tell: (event: LaneEvent) => void;
  readonly ask: (callId: number, request: InputRequest) => Promise<Params>;
  readonly keep: (callId: number, output: KeptResult) => Promise<number | undefined>;
  readonly logRate: LogRate;
}

/**
 * Performs a request with `work`. Returns the value of the reply, or its promise; `JsonText` is passed on unparsed.
 * @throws as the work does
 */
export function performRequest(
  work: UpstreamWork,
  request: UpstreamRequest,
  lane: RequestLane,
): unknown {
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
  using progress = new PacedProgress((value, total, message) =>
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
  const reply = await work.call(call, events, signal);
  return reply.kind === "result" ? reply.json : reply;
}

const everyMs = 1_000 / progressPerSecondMax;

type Progress = readonly [progress: number, total: number | undefined, message: string | undefined];

/** Passes on the newest progress of one call, at most ten times a second; the last is delayed rather than dropped. */
class PacedProgress implements Disposable {
  readonly #pass: (...progress: Progress) => void;
  #passedAt = Number.NEGATIVE_INFINITY;
  #newest: Progress | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isEnded = false;

  constructor(pass: (...progress: Progress) => void) {
    this.#pass = pass;
  }

  readonly report = (...progress: Progress): void => {
    if (this.#isEnded) return;
    this.#newest = progress;
    const waitMs = this.#passedAt + everyMs - performance.now();
    if (waitMs <= 0) this.#passNow();
    else this.#timer ??= setTimeout(() => this.#passNow(), waitMs);
  };

  /** Ends with the call's answer. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #passNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const newest = this.#newest;
    if (newest === undefined) return;
    this.#newest = undefined;
    this.#passedAt = performance.now();
    this.#pass(...newest);
  }
}
