import type { MetricSpec } from "./metric-list.ts";

export type Labels = Readonly<Record<string, string>>;

/** One value of a counter or gauge. */
export interface NumberPoint {
  readonly labels: Labels;
  readonly value: number;
}

/** The observations of a histogram under one set of labels. */
export interface HistogramPoint {
  readonly labels: Labels;
  /** For each bucket, and one more above the last bound: the observations in it alone. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export type MetricFamily =
  | { readonly spec: MetricSpec; readonly numbers: readonly NumberPoint[] }
  | { readonly spec: MetricSpec; readonly histograms: readonly HistogramPoint[] };

/** A metric without labels. */
export function single(spec: MetricSpec, value: number): MetricFamily {
  return { spec, numbers: [{ labels: {}, value }] };
}

/** A metric with one label. */
export function byLabel(
  spec: MetricSpec,
  label: string,
  values: Iterable<readonly [text: string, value: number]>,
): MetricFamily {
  const numbers = [...values].map(([text, value]) => ({ labels: { [label]: text }, value }));
  return { spec, numbers };
}

/** Observations of a histogram. */
export class Buckets {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  constructor({ bounds = [] }: MetricSpec) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  add(value: number): void {
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    const index = bucket === -1 ? this.#bounds.length : bucket;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  point(labels: Labels = {}): HistogramPoint {
    return { labels, counts: [...this.#counts], sum: this.#sum };
  }
}

/** The families in the text format of Prometheus (version 0.0.4). */
export function prometheusText(families: readonly MetricFamily[]): string {
  return families.map((family) => `${linesOf(family).join("\n")}\n`).join("");
}

function linesOf(family: MetricFamily): readonly string[] {
  const { name, type, help, bounds = [] } = family.spec;
  const values =
    "numbers" in family
      ? family.numbers.map(({ labels, value }) => line(name, labels, value))
      : family.histograms.flatMap((point) => histogramLines(name, bounds, point));
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...values];
}

/** Buckets are cumulative. */
function histogramLines(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum }: HistogramPoint,
): readonly string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const le = bounds[index] ?? "+Inf";
    return line(`${name}_bucket`, { ...labels, le: String(le) }, total);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, total)];
}

function line(name: string, labels: Labels, value: number): string {
  const texts = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  const shown = texts.length === 0 ? "" : `{${texts.join(",")}}`;
  return `${name}${shown} ${value}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
