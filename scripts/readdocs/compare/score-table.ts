import { pageTable } from "../../docs/markdown.ts";
import { scorerFile } from "../train/corpus.ts";
import type { CorpusPage } from "../train/corpus.ts";
import type { Extracted } from "./extractors.ts";

/** The part of the scorer that is used here. */
interface Scorer {
  readonly scorePage: (annotation: unknown, output: string) => object;
  readonly summarise: (rows: readonly object[]) => Record<string, number>;
}

const mib = 1024 * 1024;

const head = [
  "extractor",
  "AEB F1",
  "WCXB F1",
  "– whole truths",
  "with / without",
  "docs F1",
  "code",
  "language",
  "tables",
  "headings",
  "links",
  "ms p50 / p95",
  "MiB",
];

/** Figures that others have published, over the whole sets of which the corpus is a sample. */
export const publishedRows: readonly (readonly string[])[] = [
  publishedRow("rs-trafilatura (*published*)", ".970", ".893"),
  publishedRow("AutoExtract (*published*)", ".970", "–"),
  publishedRow("go-trafilatura (*published*)", ".960", "–"),
  publishedRow("trafilatura 2.0 (*published*)", ".958", ".833"),
  publishedRow("Diffbot (*published*)", ".951", "–"),
  publishedRow("readability.js 0.6 (*published*)", ".947", ".726"),
];

function publishedRow(name: string, aeb: string, wcxb: string): string[] {
  return [name, aeb, wcxb, ...head.slice(3).map(() => "–")];
}

/** One row of the table: what the scorer of the corpus says of the outputs. */
export async function measuredRow(
  name: string,
  pages: readonly CorpusPage[],
  outputs: Readonly<Record<string, Extracted>>,
  peakBytes?: number,
): Promise<string[]> {
  const { scorePage, summarise } = (await import(scorerFile)) as Scorer;
  const rows = pages.map((page) => ({
    page,
    score: scorePage(page.annotation(), outputs[page.id]?.output ?? ""),
  }));
  const of = (isIn: (page: CorpusPage) => boolean): Record<string, number> =>
    summarise(rows.filter(({ page }) => isIn(page)).map(({ score }) => score));
  const aeb = of(({ source }) => source === "aeb");
  const wcxb = of(({ source }) => source === "wcxb");
  const whole = of(({ source, partialGt }) => source === "wcxb" && partialGt !== true);
  const docs = of(({ type }) => type === "documentation");
  const ms = Object.values(outputs)
    .map((output) => output.ms)
    .sort((a, b) => a - b);
  const at = (part: number): string => (ms[Math.floor(ms.length * part)] ?? Number.NaN).toFixed(0);
  return [
    name,
    score(aeb["shF1"]),
    score(wcxb["wF1"]),
    score(whole["wF1"]),
    `${score(wcxb["with"])} / ${score(wcxb["without"])}`,
    score(docs["wF1"]),
    score(docs["code"]),
    score(docs["lang"]),
    score(docs["tables"]),
    score(docs["headings"]),
    score(docs["absLinks"]),
    ms.some(Number.isNaN) ? "–" : `${at(0.5)} / ${at(0.95)}`,
    peakBytes === undefined ? "–" : (peakBytes / mib).toFixed(0),
  ];
}

/** `.123`, or `1.0`. */
function score(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  const text = value.toFixed(3);
  return text.startsWith("0") ? text.slice(1) : "1.0";
}

export function tableOf(rows: readonly (readonly string[])[]): string {
  return pageTable(head, rows);
}
