/**
 * The sizes of what a release has, in MB, as the table of docs/internals/ways.md: `bun scripts/release-sizes.ts FOLDER…`, where the
 * folders are those of `scripts/build.ts --release` or `--all`.
 */
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { allWays } from "./build/distribution/make.ts";
import { ways } from "./build/distribution/ways.ts";
import { readProduct } from "./build/packages.ts";
import { targets } from "./build/targets.ts";
import { pageTable } from "./docs/markdown.ts";

const executableBytesMax = 125_000_000;

const folders = process.argv.slice(2);
const { version } = readProduct(dirname(import.meta.dir));

/** Empty where no folder has the file. */
function sizeOf(file: string): string {
  const path = folders.map((folder) => join(folder, file)).find((one) => existsSync(one));
  return path === undefined ? "" : (statSync(path).size / 1e6).toFixed(1);
}

const rows = targets.map((target) => {
  const executable = sizeOf(target.file);
  const isLarge = Number(executable) * 1e6 > executableBytesMax;
  return [
    target.name,
    isLarge ? `**${executable}**` : executable,
    ...[".gz", ".zst"].map((ending) => sizeOf(`${target.file}${ending}`)),
    ...allWays.map((way) =>
      ways[way].has(target) ? sizeOf(ways[way].file(target, version)) : "–",
    ),
  ];
});
const columns = ["target", "executable", ".gz", ".zst", ...allWays];
console.log(pageTable(columns, rows));
