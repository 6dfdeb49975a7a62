/** How well pages are read, by the scorer and the annotated pages beside the checkout, against their targets. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { productBinary, root } from "../../test/e2e/harness/binary.ts";
import type { Outcome } from "./outcome.ts";

const folder = join(root, "../shared/readdocs");

/** False where the pages are not: they are not part of the repository. */
export const hasPages = existsSync(join(folder, "corpus/manifest.json"));

interface Target {
  readonly name: string;
  readonly group: string;
  readonly figure: string;
  readonly min?: number;
  readonly max?: number;
}

const targets: readonly Target[] = [
  { name: "articles (AEB), shingle F1", group: "src:aeb", figure: "shF1", min: 0.96 },
  { name: "all kinds (WCXB), word F1", group: "src:wcxb", figure: "wF1", min: 0.893 },
  { name: "snippets to keep", group: "src:wcxb", figure: "with", min: 0.86 },
  { name: "boilerplate let through", group: "src:wcxb", figure: "without", max: 0.075 },
  { name: "documentation, word F1", group: "type:documentation", figure: "wF1", min: 0.935 },
  { name: "documentation, code", group: "type:documentation", figure: "code", min: 0.96 },
  { name: "documentation, language", group: "type:documentation", figure: "lang", min: 0.94 },
  { name: "documentation, tables", group: "type:documentation", figure: "tables", min: 1 },
  { name: "documentation, headings", group: "type:documentation", figure: "headings", min: 0.92 },
  {
    name: "documentation, absolute links",
    group: "type:documentation",
    figure: "absLinks",
    min: 1,
  },
];

const completeWordF1Min = 0.912;
const p50MsMax = 20;
const p95MsMax = 100;
const residentMibMax = 500;

interface Scored {
  readonly summary: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly rows: readonly {
    readonly source: string;
    readonly partialGt?: boolean;
    readonly wF: number;
    readonly ms: number;
  }[];
}

/** Times are those of the quickest run: whatever else the machine does only adds to them. */
const runs = 3;

export async function checkPageScore(): Promise<Outcome> {
  const scored: Run[] = [];
  for (let run = 0; run < runs; run++) scored.push(await scoreOnce());
  const [first] = scored;
  if (first === undefined) throw new Error("nothing was scored");
  return judge(first, {
    p50Ms: Math.min(...scored.map(({ json }) => percentile(json, 0.5))),
    p95Ms: Math.min(...scored.map(({ json }) => percentile(json, 0.95))),
  });
}

interface Run {
  readonly json: Scored;
  readonly printed: string;
}

async function scoreOnce(): Promise<Run> {
  const scratch = mkdtempSync(join(tmpdir(), "scorpiox-score-"));
  try {
    const json = join(scratch, "score.json");
    const argv = ["bun", join(folder, "score.ts"), join(folder, "corpus"), "--json", json];
    const child = Bun.spawn([...argv, "--jsonl", productBinary, "extract", "--jsonl"], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const printed = await child.stdout.text();
    if ((await child.exited) !== 0) throw new Error((await child.stderr.text()).slice(0, 500));
    return { json: JSON.parse(readFileSync(json, "utf8")) as Scored, printed };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function percentile({ rows }: Scored, share: number): number {
  const times = rows.map(({ ms }) => ms).sort((a, b) => a - b);
  return times[Math.floor(times.length * share)] ?? Number.NaN;
}

function judge(
  { json: { summary, rows }, printed }: Run,
  { p50Ms, p95Ms }: { readonly p50Ms: number; readonly p95Ms: number },
): Outcome {
  const details: [string, string, string][] = [];
  const add = (name: string, value: number, { min, max }: Pick<Target, "min" | "max">): void => {
    const isReached = (min === undefined || value >= min) && (max === undefined || value <= max);
    const wanted = min === undefined ? `at most ${max}` : `at least ${min}`;
    details.push([name, isReached ? "pass" : "FAIL", `${Number(value.toFixed(3))}, ${wanted}`]);
  };
  for (const { name, group, figure, ...bounds } of targets) {
    add(name, summary[group]?.[figure] ?? Number.NaN, bounds);
  }
  const complete = rows.filter(({ source, partialGt }) => source === "wcxb" && partialGt !== true);
  add("WCXB without partial truths, word F1", mean(complete.map(({ wF }) => wF)), {
    min: completeWordF1Min,
  });
  add("ms a page, p50, quickest of three runs", p50Ms, { max: p50MsMax });
  add("ms a page, p95, quickest of three runs", p95Ms, { max: p95MsMax });
  add("peak resident memory, MiB", Number(/peak RSS[^\d]*(\d+)/.exec(printed)?.[1]), {
    max: residentMibMax,
  });
  const faults = details
    .filter(([, result]) => result === "FAIL")
    .map(([name, , figure]) => `${name}: ${figure}`);
  const figures = details.map(([name, , figure]) => `${name} ${figure}`).join("; ");
  return { name: "reading of pages", passed: faults.length === 0, figures, faults, details };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
