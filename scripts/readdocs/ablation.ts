/**
 * Scores the extractor over the annotated pages beside the checkout with one of its features switched off at a time:
 *
 *   bun scripts/readdocs/ablation.ts                    prints the table
 *   bun scripts/readdocs/ablation.ts --write            writes it into docs/internals/decisions/extractor.md
 *   bun scripts/readdocs/ablation.ts --only WORD        features with the word in their name
 *   bun scripts/readdocs/ablation.ts --models FILE      keeps the trained models there, or takes them from there
 *
 * Each page is extracted with a model that was trained without it, as in the comparison: over pages that the forests know by
 * heart, nothing else has anything to do. Each feature runs in a process of its own, which this script starts with --one INDEX
 * and which changes the text of one file while it loads it; the product has no switches. Features whose name begins with
 * "forests:" are trained anew without their input, some minutes each: --only forests.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { pageTable } from "../docs/markdown.ts";
import { replaceBlock } from "../docs/marked-block.ts";
import { codeLinesOf } from "../structure/declaration-lines.ts";
import { type Change, type Feature, features } from "./ablation/features.ts";
import { ablationHead, ablationRow, scoresOf } from "./ablation/scores.ts";
import { loadCorpus } from "./train/corpus.ts";
import type { ModelText } from "./train/cross-validate.ts";

const extractFolder = join(import.meta.dir, "../../src/web/extract");
const page = join(import.meta.dir, "../../docs/decisions/extractor.md");

type Outputs = Readonly<Record<string, string>>;

const { values } = parseArgs({
  options: {
    write: { type: "boolean" },
    only: { type: "string" },
    models: { type: "string" },
    one: { type: "string" },
    out: { type: "string" },
  },
});
if (values.one === undefined) await ablate();
else await runOne(features[Number(values.one)], values.models, values.out ?? "/dev/stdout");

/** Writes what the extractor gives for all pages without `feature`; with all features where it is undefined. */
async function runOne(
  feature: Feature | undefined,
  modelFile: string | undefined,
  out: string,
): Promise<void> {
  if (feature !== undefined) changeWhileLoading(feature.change);
  // Loaded after the change.
  const { extractUnseen, trainOnOthers } = await import("./train/cross-validate.ts");
  const pages = loadCorpus();
  const models =
    modelFile === undefined || feature?.isTrained === true
      ? trainOnOthers(pages)
      : ((await Bun.file(modelFile).json()) as ModelText[]);
  await Bun.write(out, JSON.stringify(await extractUnseen(pages, models)));
  process.exit(0);
}

/** @throws when the text to replace does not occur exactly once: the table of features is older than the code */
function changeWhileLoading({ file, from, to }: Change): void {
  const path = join(extractFolder, file);
  Bun.plugin({
    name: "ablation",
    setup(build) {
      build.onLoad({ filter: new RegExp(`${RegExp.escape(path)}$`) }, async () => {
        const text = await Bun.file(path).text();
        if (text.split(from).length !== 2) throw new Error(`${file} does not have once: ${from}`);
        return { contents: text.replace(from, () => to), loader: "ts" };
      });
    },
  });
}

async function ablate(): Promise<void> {
  const pages = loadCorpus();
  if (pages.length === 0) {
    console.error("not run: there is no corpus beside the checkout (../shared/readdocs/corpus)");
    process.exit(1);
  }
  using folder = new TempFolder();
  const modelFile = values.models ?? join(folder.path, "models.json");
  if (!existsSync(modelFile)) {
    const { trainOnOthers } = await import("./train/cross-validate.ts");
    await Bun.write(modelFile, JSON.stringify([...trainOnOthers(pages)]));
  }
  const whole = await scoresOf(pages, await outputsOf(-1, modelFile, folder.path));
  const rows = [ablationRow("all features", codeLinesOf(extractFolder, undefined), whole, whole)];
  for (const [index, { name, code, isTrained }] of features.entries()) {
    if (values.only === undefined ? isTrained : !name.includes(values.only)) continue;
    const scores = await scoresOf(pages, await outputsOf(index, modelFile, folder.path));
    rows.push(ablationRow(name, codeLinesOf(extractFolder, code), whole, scores));
    console.error(rows.at(-1)?.join(" | "));
  }
  const table = pageTable(ablationHead, rows);
  if (values.write !== true) return console.log(table);
  await Bun.write(page, replaceBlock(await Bun.file(page).text(), "ablation", table, page));
}

async function outputsOf(index: number, modelFile: string, folder: string): Promise<Outputs> {
  const out = join(folder, "outputs.json");
  const options = [`--one=${index}`, "--models", modelFile, "--out", out];
  const child = Bun.spawn([process.execPath, import.meta.path, ...options], {
    stdout: "ignore",
    stderr: "inherit",
  });
  const exitCode = await child.exited;
  if (exitCode !== 0) throw new Error(`Feature ${index} ended with exit code ${exitCode}.`);
  return (await Bun.file(out).json()) as Outputs;
}
