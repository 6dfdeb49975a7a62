/** One sample of the text format of Prometheus. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with its samples, as a scraper reads it. */
export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const labelPattern = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|\})/;

/**
 * Parses the format 0.0.4 strictly, as its specification has it: HELP and TYPE once and before the samples, families in one block,
 * no sample twice, buckets that rise to `+Inf` and agree with the count. @throws Error naming the line
 */
export function parsePrometheus(text: string): readonly ParsedFamily[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families: { name: string; type: string; help: string; samples: Sample[] }[] = [];
  const seen = new Set<string>();
  for (const line of text.slice(0, -1).split("\n")) {
    const fail = (reason: string): never => {
      throw new Error(`${reason}: ${line}`);
    };
    const help = /^# HELP (\S+) (.+)$/.exec(line);
    if (help !== null) {
      const [, name = "", words = ""] = help;
      if (families.some((family) => family.name === name)) fail("a family twice");
      families.push({ name, type: "", help: words, samples: [] });
      continue;
    }
    const family = families.at(-1) ?? fail("no family");
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
    if (type !== null) {
      if (type[1] !== family.name || family.type !== "") fail("a type of another family");
      family.type = type[2] ?? "";
      continue;
    }
    const sample = parseSample(line) ?? fail("not a sample");
    const base =
      family.type === "histogram" ? sample.name.replace(/_(bucket|sum|count)$/, "") : sample.name;
    if (base !== family.name || family.type === "") fail("a sample of another family");
    const key = JSON.stringify([
      sample.name,
      Object.entries(sample.labels)
        .map(([key, text]) => `${key}=${text}`)
        .sort(),
    ]);
    if (seen.has(key)) fail("a sample twice");
    seen.add(key);
    family.samples.push(sample);
  }
  for (const family of families) checkFamily(family);
  return families;
}

function parseSample(line: string): Sample | undefined {
  const [name] = namePattern.exec(line) ?? [];
  if (name === undefined) return undefined;
  const labels: Record<string, string> = {};
  let rest = line.slice(name.length);
  if (rest.startsWith("{")) {
    rest = rest.slice(1);
    for (;;) {
      const match = labelPattern.exec(rest);
      if (match === null) return undefined;
      const [whole, label = "", value = "", end] = match;
      if (Object.hasOwn(labels, label)) return undefined;
      labels[label] = value.replaceAll(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
      rest = rest.slice(whole.length);
      if (end === "}") break;
    }
  }
  const [, number] = /^ (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(rest) ?? [];
  return number === undefined ? undefined : { name, labels, value: Number(number) };
}

function checkFamily({ name, type, samples }: ParsedFamily): void {
  if (type === "") throw new Error(`${name} has no type`);
  if (type === "counter" && !name.endsWith("_total")) throw new Error(`${name} is a counter`);
  if (type !== "histogram") return;
  const bySeries = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    bySeries.set(key, [...(bySeries.get(key) ?? []), sample]);
  }
  for (const series of bySeries.values()) checkHistogram(name, series);
}

function checkHistogram(name: string, series: readonly Sample[]): void {
  const buckets = series.filter((sample) => sample.name === `${name}_bucket`);
  const count = series.find((sample) => sample.name === `${name}_count`)?.value;
  const bounds = buckets.map(({ labels }) => Number(labels["le"]?.replace("+Inf", "Infinity")));
  const values = buckets.map(({ value }) => value);
  const rises = (numbers: readonly number[]): boolean =>
    numbers.every((each, index) => index === 0 || each >= (numbers[index - 1] ?? 0));
  const isWhole = bounds.at(-1) === Number.POSITIVE_INFINITY && values.at(-1) === count;
  const hasSum = series.some((sample) => sample.name === `${name}_sum`);
  if (!rises(bounds) || !rises(values) || !isWhole || !hasSum) {
    throw new Error(`${name} is not a histogram: ${JSON.stringify(series)}`);
  }
}
