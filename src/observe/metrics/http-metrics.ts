import { Buckets, byLabel, type MetricFamily } from "./family.ts";
import { metrics } from "./metric-list.ts";

/** Counts responses of the endpoint. Statuses are those of scorpiox-code, so the set of labels is bounded. */
export class HttpMetrics {
  readonly #responses = new Map<number, number>();
  readonly #seconds = new Buckets(metrics.responseSeconds);

  /** @param startedAt on the clock of `performance.now()` */
  readonly onResponse = ({ status }: Response, startedAt: number): void => {
    this.#responses.set(status, (this.#responses.get(status) ?? 0) + 1);
    this.#seconds.add((performance.now() - startedAt) / 1000);
  };

  families(): readonly MetricFamily[] {
    const statuses = [...this.#responses].map(
      ([status, count]) => [String(status), count] as const,
    );
    return [
      byLabel(metrics.responses, "status", statuses),
      { spec: metrics.responseSeconds, histograms: [this.#seconds.point()] },
    ];
  }
}
