import type { HistogramPoint, Labels, MetricFamily } from "./family.ts";

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
