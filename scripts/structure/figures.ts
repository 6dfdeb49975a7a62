import { quantile } from "../bench/stats.ts";
import { cyclesOf } from "./cycles.ts";
import type { SourceFile } from "./source-file.ts";

/** What is told of `src/`. */
export interface Figures {
  readonly files: number;
  readonly codeLines: number;
  readonly linesMedian: number;
  readonly linesP90: number;
  readonly shortFiles: number;
  /** Files with one export that one file imports. */
  readonly singleUse: number;
  /** Files that import themselves by way of others. */
  readonly filesInCycles: number;
  /** The groups that they form; in each, every file reaches every other. */
  readonly cycles: readonly (readonly string[])[];
  /** Files in each folder of `src/`, with all that is below it; most first. */
  readonly folders: readonly (readonly [folder: string, files: number])[];
}

/** Lines of a file that is called short. */
export const shortLinesMax = 30;

/** `sources` must not be empty. */
export function figuresOf(sources: readonly SourceFile[]): Figures {
  const lines = sources.map((source) => source.lines);
  const cycles = cyclesOf(new Map(sources.map(({ path, imports }) => [path, imports])));
  const importers = new Map<string, number>();
  for (const path of sources.flatMap(({ imports }) => imports)) {
    importers.set(path, (importers.get(path) ?? 0) + 1);
  }
  return {
    files: sources.length,
    codeLines: sources.reduce((sum, { codeLines }) => sum + codeLines, 0),
    linesMedian: quantile(lines, 0.5),
    linesP90: quantile(lines, 0.9),
    shortFiles: lines.filter((count) => count <= shortLinesMax).length,
    singleUse: sources.filter(
      ({ path, exports }) => exports.length === 1 && importers.get(path) === 1,
    ).length,
    filesInCycles: cycles.flat().length,
    cycles,
    folders: foldersOf(sources),
  };
}

function foldersOf(sources: readonly SourceFile[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { path } of sources) {
    const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : ".";
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].toSorted(([a, n], [b, m]) => m - n || a.localeCompare(b));
}
