/**
 * Does what CONTRIBUTING.md says for each thing that can be added, and proves that nothing else is needed: a new tool, command,
 * search engine and configuration key, each in a fresh clone of what is committed here.
 *
 *     bun scripts/structure/additions.ts [--fast] [--only WORD]
 *
 * Creates the files, adds the lines, runs the commands of the section, then `scripts/gate.sh` and the tests that look at lists
 * of what there is. `--fast` links the packages of this checkout in place of `npm ci`; `--only tool` does the sections with that
 * word in their headings.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { readRecipes, insertLines, type Recipe, type Step } from "./recipe.ts";

const root = join(import.meta.dir, "../..");
const secondsMax = 120;
/** They hold the lists: published parameters, golden files, generated pages, help, what models are told. */
const catalogueTests = [
  "test/tools/catalogue.test.ts",
  "test/docs/generated.test.ts",
  "test/config",
  "test/cli/run",
  "test/cli/config-commands.test.ts",
  "test/cli/needs-person.test.ts",
  "test/compose/instructions.test.ts",
  "test/state/skills/built-in.test.ts",
  "test/state/skills/list-for-model.test.ts",
  "test/cli/search-commands.test.ts",
  "test/web/search/create-search.test.ts",
  "test/web/search/engines",
];

const { values } = parseArgs({ options: { fast: { type: "boolean" }, only: { type: "string" } } });
const recipes = readRecipes(readFileSync(join(root, "CONTRIBUTING.md"), "utf8")).filter(
  ({ heading }) => heading.includes(values.only ?? ""),
);
if (recipes.length === 0) throw new Error(`no section has the word ${values.only} in its heading`);
for (const recipe of recipes) {
  try {
    if (add(recipe, values.fast === true) > secondsMax) process.exitCode = 1;
  } catch (error) {
    console.error(String(error));
    process.exitCode = 1;
  }
}

/** The seconds that it took. @throws Error when a step fails */
function add(recipe: Recipe, isFast: boolean): number {
  using folder = new TempFolder();
  const clone = folder.at("clone");
  const started = performance.now();
  const timed = (what: string, work: () => void): void => {
    const from = performance.now();
    work();
    console.log(`${secondsSince(from).padStart(6)} s  ${what}`);
  };
  const run = (command: string): void => timed(command, () => shell(clone, command));

  console.log(recipe.heading);
  timed("git clone", () => shell(root, `git clone -q --local . ${clone}`));
  timed(isFast ? "packages, linked" : "packages, npm ci", () => getPackages(clone, isFast));
  for (const step of recipe.steps) {
    if (step.kind === "run") run(step.command);
    else timed(nameOf(step), () => write(clone, step));
  }
  run("sh scripts/gate.sh");
  const own = recipe.steps.flatMap((step) =>
    step.kind === "create" && step.path.endsWith(".test.ts") ? [step.path] : [],
  );
  run(`bun test --timeout 60000 ${[...own, ...catalogueTests].join(" ")}`);
  const taken = (performance.now() - started) / 1000;
  console.log(`${taken.toFixed(1).padStart(6)} s  in all, at most ${secondsMax} s\n`);
  console.log(indented(shell(clone, "git add -A && git diff --cached --stat=100 HEAD")));
  return taken;
}

function getPackages(clone: string, isFast: boolean): void {
  if (isFast) shell(clone, `cp -al ${join(root, "node_modules")} node_modules`);
  else
    shell(clone, `say() { :; }; fail() { echo "$*"; exit 1; }; . scripts/bootstrap.sh; get_bun .`);
}

type WritingStep = Exclude<Step, { readonly kind: "run" }>;

function nameOf(step: WritingStep): string {
  if (step.kind === "create") return `create ${step.path}`;
  return `${step.path}: +${step.lines.filter(({ isNew }) => isNew).length}`;
}

function write(clone: string, step: WritingStep): void {
  const path = join(clone, step.path);
  mkdirSync(dirname(path), { recursive: true });
  const text =
    step.kind === "create" ? step.text : insertLines(readFileSync(path, "utf8"), step.lines);
  // A file that is there already would be lost.
  writeFileSync(path, text, { flag: step.kind === "create" ? "wx" : "w" });
}

/** What the command printed. @throws Error with that when it fails */
function shell(cwd: string, command: string): string {
  const PATH = `${join(cwd, "node_modules/.bin")}:${process.env["PATH"]}`;
  const { exitCode, stdout, stderr } = Bun.spawnSync(["sh", "-c", command], {
    cwd,
    env: { ...process.env, PATH, NO_COLOR: "1" },
    stdin: "ignore",
    stderr: "pipe",
  });
  const printed = `${stdout.toString()}${stderr.toString()}`;
  if (exitCode === 0) return printed;
  // What passed is long, and not what was asked for.
  const told = printed.split("\n").filter((line) => !line.startsWith("(pass)"));
  throw new Error(`${command} failed:\n${told.slice(-60).join("\n")}`);
}

function secondsSince(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(1);
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "         ");
}
