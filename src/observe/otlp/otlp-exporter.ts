import { otlpMetricsMs } from "../../base/limits.ts";
import type { MetricFamily } from "../metrics/family.ts";
import { postToCollector } from "./collector.ts";
import { encodeMetrics, encodeTraces } from "./otlp-json.ts";
import type { OtlpSettings } from "./otlp-settings.ts";
import { SpanQueue } from "./span-queue.ts";
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
