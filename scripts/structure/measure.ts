/**
 * How `src/` is built: how many files of which length, who is used once, folders, cycles, lines of code.
 *
 *     bun scripts/structure/measure.ts [--ref COMMIT …] [--json]
 *
 * Without `--ref` the checkout as it lies here is measured; each `--ref` gives a column of its own, so that before and after
 * are one command: `--ref HEAD~20 --ref HEAD`. Lines are counted as they are formatted; lines of code are those that have
 * something on them besides comments. Imports of types and imports at run time count as imports.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { markdownTable } from "../docs/markdown.ts";
import { checkOut, nameOf } from "./checkout.ts";
import { type Figures, figuresOf, shortLinesMax } from "./figures.ts";
import { readSources } from "./source-file.ts";

const rows: readonly (readonly [string, (figures: Figures) => number])[] = [
  ["files", ({ files }) => files],
  ["lines of code", ({ codeLines }) => codeLines],
  ["lines of a file, median", ({ linesMedian }) => linesMedian],
  ["lines of a file, 90th percentile", ({ linesP90 }) => linesP90],
  [`files of at most ${shortLinesMax} lines`, ({ shortFiles }) => shortFiles],
  ["files with one export and one importer", ({ singleUse }) => singleUse],
  ["cycles of files", ({ cycles }) => cycles.length],
  ["files in a cycle", ({ filesInCycles }) => filesInCycles],
  ["folders in `src/`", ({ folders }) => folders.filter(([name]) => name !== ".").length],
];

const { values } = parseArgs({
  options: { ref: { type: "string", multiple: true }, json: { type: "boolean" } },
});
const measured = (values.ref ?? [undefined]).map((ref) => ({
  commit: nameOf(ref),
  figures: measure(ref),
}));
console.log(values.json === true ? JSON.stringify(measured, null, 2) : tables());

function measure(ref: string | undefined): Figures {
  using folder = new TempFolder();
  checkOut(folder.path, ref);
  return figuresOf(readSources(join(folder.path, "src")));
}

function tables(): string {
  const numbers = markdownTable(
    ["", ...measured.map(({ commit }) => commit)],
    rows.map(([name, read]) => [name, ...measured.map(({ figures }) => String(read(figures)))]),
  );
  const folders = measured.map(({ commit, figures }) =>
    markdownTable(
      [`folder, ${commit}`, "files"],
      figures.folders.map(([name, files]) => [name, String(files)]),
    ),
  );
  return [numbers, ...folders].join("\n\n");
}
