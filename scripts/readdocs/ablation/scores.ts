import { type CorpusPage, scorerFile } from "../train/corpus.ts";

/** What the scorer of the corpus says of one page; `fid` where code, tables or headings are annotated. */
interface PageScore {
  readonly wF: number;
  readonly fid: Readonly<Record<string, number | null>> | null;
}

interface Scorer {
  readonly scorePage: (annotation: unknown, output: string) => PageScore;
}

interface Scores {
  /** F1 of words of each page whose truth is whole. */
  readonly f1: ReadonlyMap<string, number>;
  /** The part of code, tables and headings that is there, of each page that has them annotated. */
  readonly parts: readonly number[];
  readonly outputs: Readonly<Record<string, string>>;
}

export const ablationHead: readonly string[] = [
  "without",
  "lines of code",
  "F1",
  "code, tables, headings",
  "pages changed",
  "better / worse by .005",
];

const partNames = ["code", "lang", "tables", "headings"] as const;
/** In F1; less is chance. */
const differenceMin = 0.005;

export async function scoresOf(
  pages: readonly CorpusPage[],
  outputs: Readonly<Record<string, string>>,
): Promise<Scores> {
  const { scorePage } = (await import(scorerFile)) as Scorer;
  const f1 = new Map<string, number>();
  const parts: number[] = [];
  for (const page of pages) {
    const { wF, fid } = scorePage(page.annotation(), outputs[page.id] ?? "");
    if (page.partialGt !== true) f1.set(page.id, wF);
    for (const name of partNames) {
      const part = fid?.[name];
      if (typeof part === "number" && !Number.isNaN(part)) parts.push(part);
    }
  }
  return { f1, parts, outputs };
}

/** One row of the table: the scores without a feature, and how they differ from those of the `whole` extractor. */
export function ablationRow(name: string, lines: number, whole: Scores, without: Scores): string[] {
  const ids = Object.keys(whole.outputs);
  const changed = ids.filter((id) => whole.outputs[id] !== without.outputs[id]).length;
  const differences = [...without.f1].map(([id, f1]) => f1 - (whole.f1.get(id) ?? 0));
  const better = differences.filter((difference) => difference > differenceMin).length;
  const worse = differences.filter((difference) => difference < -differenceMin).length;
  return [
    name,
    String(lines),
    against(meanOf([...without.f1.values()]), meanOf([...whole.f1.values()])),
    against(meanOf(without.parts), meanOf(whole.parts)),
    String(changed),
    `${better} / ${worse}`,
  ];
}

/** `.9123 (−.0012)` */
function against(value: number, whole: number): string {
  const difference = value - whole;
  const text = value.toFixed(4).replace(/^0/, "");
  if (Math.abs(difference) < 0.00005) return text;
  const sign = difference < 0 ? "−" : "+";
  return `${text} (${sign}${Math.abs(difference).toFixed(4).replace(/^0/, "")})`;
}

/** Zero for no numbers. */
export function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(numbers.length, 1);
}
