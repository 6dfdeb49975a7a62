import { messageOf } from "../../base/errors.ts";
import {
  otlpBatchMs,
  otlpBatchSpansMax,
  otlpEndMsMax,
  otlpMetricsMs,
  otlpRetryMsMax,
  otlpRetryMsMin,
  otlpSendMsMax,
  otlpSpansWaitingMax,
} from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import type { MetricFamily } from "../metrics/family.ts";
import { encodeMetrics, encodeTraces, type Span } from "./otlp-json.ts";
import type { OtlpSettings } from "./otlp-settings.ts";
import { SpanRecorder } from "./span-recorder.ts";

export interface OtlpExporterParts {
  readonly settings: OtlpSettings;
  /** The metrics now. Never rejects. */
  readonly families: () => Promise<readonly MetricFamily[]>;
  readonly warn: (message: string) => void;
  readonly batchMs?: number;
  readonly metricsMs?: number;
}

/** Sends traces and metrics to a collector, by HTTP and JSON. */
export class OtlpExporter implements AsyncDisposable {
  readonly recorder: SpanRecorder;
  readonly #parts: OtlpExporterParts;
  readonly #queue: SpanQueue;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(parts: OtlpExporterParts) {
    this.#parts = parts;
    const { warn, batchMs, settings } = parts;
    const { tracesUrl, headers, attributes } = settings;
    this.#queue = new SpanQueue({
      send: (spans) => postToCollector(tracesUrl, headers, encodeTraces(attributes, spans)),
      warn,
      ...(batchMs === undefined ? {} : { batchMs }),
    });
    this.recorder = new SpanRecorder(this.#queue.add);
    const { metricsMs = otlpMetricsMs } = parts;
    this.#timer = setInterval(() => void this.#sendMetrics(), metricsMs).unref();
  }

  /** Spans by what became of them. */
  get spanCounts(): ReadonlyMap<string, number> {
    return this.#queue.counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    await this.#queue[Symbol.asyncDispose]();
  }

  /** Counters are those since the start: what the collector misses once, it gets with the next. */
  async #sendMetrics(): Promise<void> {
    const { settings, families } = this.#parts;
    const { metricsUrl, headers, attributes } = settings;
    const { timeOrigin } = performance;
    const body = encodeMetrics(attributes, await families(), timeOrigin, Date.now());
    await postToCollector(metricsUrl, headers, body);
  }
}

interface SpanQueueParts {
  /** Never rejects. */
  readonly send: (spans: readonly Span[]) => Promise<SendOutcome>;
  /** Reports the first failure after a success. */
  readonly warn: (message: string) => void;
  readonly batchMs?: number;
  readonly retryMsMin?: number;
}

/** Spans on their way to the collector: a bounded queue, sent in batches; what has no room is counted and dropped. */
export class SpanQueue implements AsyncDisposable {
  readonly #parts: SpanQueueParts;
  #waiting: Span[] = [];
  /** The batch that is being sent, or will be sent again. */
  #batch: readonly Span[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  /** Since a batch was done. */
  #failures = 0;
  /** The collector's wish, after a failure. */
  #pauseMs: number | undefined;
  #hasWarned = false;
  #sent = 0;
  #dropped = 0;
  #isClosed = false;

  constructor(parts: SpanQueueParts) {
    this.#parts = parts;
  }

  /** Spans by what became of them. */
  get counts(): ReadonlyMap<string, number> {
    const waiting = this.#waiting.length + this.#batch.length;
    return new Map([
      ["sent", this.#sent],
      ["dropped", this.#dropped],
      ["waiting", waiting],
    ]);
  }

  readonly add = (span: Span): void => {
    if (this.#isClosed || this.#waiting.length + this.#batch.length >= otlpSpansWaitingMax) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(span);
    if (this.#sending !== undefined || this.#failures > 0) return;
    if (this.#waiting.length >= otlpBatchSpansMax) this.#sendNow();
    else this.#sendAfter(this.#parts.batchMs ?? otlpBatchMs);
  };

  /** Sends the rest, for a moment at most; what is left then is dropped. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, otlpEndMsMax);
    await Promise.race([this.#sendRest(), promise]);
    clearTimeout(timer);
    clearTimeout(this.#timer);
    this.#dropped += this.#waiting.length + this.#batch.length;
    this.#waiting = [];
    this.#batch = [];
  }

  async #sendRest(): Promise<void> {
    await this.#sending;
    const failures = this.#failures;
    while (this.#waiting.length + this.#batch.length > 0 && this.#failures <= failures) {
      this.#sendNow();
      await this.#sending;
    }
  }

  #sendAfter(ms: number): void {
    this.#timer ??= setTimeout(() => this.#sendNow(), ms).unref();
  }

  #sendNow(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (!this.#isClosed) this.#goOn();
    });
  }

  async #send(): Promise<void> {
    if (this.#batch.length === 0) this.#batch = this.#waiting.splice(0, otlpBatchSpansMax);
    const outcome = await this.#parts.send(this.#batch);
    switch (outcome.kind) {
      case "taken":
        this.#hasWarned = false;
        return this.#done(outcome.rejected);
      case "refused":
        this.#report(outcome.reason);
        return this.#done(this.#batch.length);
      case "failed":
        this.#report(outcome.reason);
        this.#failures += 1;
        this.#pauseMs = outcome.afterMs;
    }
  }

  #done(rejected: number): void {
    this.#failures = 0;
    this.#sent += this.#batch.length - rejected;
    this.#dropped += rejected;
    this.#batch = [];
  }

  #report(reason: string): void {
    const text = `Traces cannot be sent to the collector: ${reason}. Calls go on without them.`;
    if (!this.#hasWarned) this.#parts.warn(text);
    this.#hasWarned = true;
  }

  #goOn(): void {
    if (this.#waiting.length + this.#batch.length === 0) return;
    if (this.#failures > 0) return this.#sendAfter(this.#pauseMs ?? this.#backoffMs());
    if (this.#waiting.length >= otlpBatchSpansMax) this.#sendNow();
    else this.#sendAfter(this.#parts.batchMs ?? otlpBatchMs);
  }

  /** Twice as long after each failure, with jitter: many replicas must not come back at once. */
  #backoffMs(): number {
    const { retryMsMin = otlpRetryMsMin } = this.#parts;
    const ms = Math.min(otlpRetryMsMax, retryMsMin * 2 ** (this.#failures - 1));
    return ms * (0.5 + Math.random() / 2);
  }
}

export type SendOutcome =
  | { readonly kind: "taken"; readonly rejected: number }
  /** Sending the same again will not help. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Later it may be taken. @see afterMs the collector's wish, in ms */
  | { readonly kind: "failed"; readonly reason: string; readonly afterMs?: number };

/** The statuses of OTLP after which a request is to be sent again. */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Posts a body of OTLP in JSON. Never rejects. @param url known to be one of HTTP */
async function postToCollector(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<SendOutcome> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      redirect: "error",
      signal: AbortSignal.timeout(otlpSendMsMax),
    });
    const text = await response.text();
    if (response.ok) return { kind: "taken", rejected: rejectedIn(text) };
    const reason = `HTTP ${response.status}`;
    if (!retryable.has(response.status)) return { kind: "refused", reason };
    const seconds = Number(response.headers.get("retry-after") ?? "");
    return seconds > 0
      ? { kind: "failed", reason, afterMs: Math.min(seconds * 1000, otlpRetryMsMax) }
      : { kind: "failed", reason };
  } catch (error) {
    return { kind: "failed", reason: messageOf(error) };
  }
}

/** Spans that the collector did not take; 0 where it says nothing. */
function rejectedIn(text: string): number {
  try {
    const answer: unknown = JSON.parse(text);
    const partial = isObject(answer) ? answer.partialSuccess : undefined;
    const rejected = isObject(partial) ? Number(partial.rejectedSpans ?? 0) : 0;
    return Number.isFinite(rejected) ? rejected : 0;
  } catch {
    return 0;
  }
}
