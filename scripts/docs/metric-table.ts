import { metrics, type MetricSpec } from "../../src/observe/metrics/metric-list.ts";
import { code, pageTable } from "./markdown.ts";

/** All metrics of `/metrics`, in their order there. */
export function metricTable(): string {
  const rows = Object.values<MetricSpec>(metrics).map(({ name, type, labels = [], help }) => [
    code(name),
    type,
    labels.map(code).join(", "),
    help,
  ]);
  return pageTable(["metric", "type", "labels", "what it is"], rows);
}
