/**
 * What the tests cost: processor seconds of each test file with all processes that it starts, dearest first.
 *
 *     bun scripts/suite-cost.ts [FILE|FOLDER…] [--top 40]
 *
 * Each file runs in a `bun test` of its own and, as root on Linux, in a control group, which counts also the processes that
 * leave their parent (browsers, Workers of a killed server). Without one, only those that a parent waited for are counted.
 * Not wall time: that grows with whatever else runs on the machine.
 */
import { statSync } from "node:fs";
import { parseArgs } from "node:util";

import { controlGroup, joined } from "./bench/control-group.ts";

interface Cost {
  readonly file: string;
  readonly seconds: number;
  readonly passed: boolean;
}

const { values, positionals } = parseArgs({
  options: { top: { type: "string" } },
  allowPositionals: true,
});
const group = controlGroup(`suite-cost-${process.pid}`);
if (group === undefined) console.error("suite-cost: no control group; lost processes are missing");
const costs: Cost[] = [];
for (const file of testFiles(positionals.length === 0 ? ["test"] : positionals)) {
  const cost = await measure(file);
  costs.push(cost);
  if (values.top === undefined) console.error(line(cost));
}
costs.sort((one, other) => other.seconds - one.seconds);
for (const cost of costs.slice(0, Number(values.top ?? costs.length))) console.log(line(cost));
const total = costs.reduce((sum, { seconds }) => sum + seconds, 0);
console.log(`${total.toFixed(2).padStart(7)}  CPU-seconds in ${costs.length} files`);
group?.remove();

function line({ file, seconds, passed }: Cost): string {
  return `${seconds.toFixed(2).padStart(7)}  ${file}${passed ? "" : "  FAILED"}`;
}

function testFiles(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (statSync(path).isFile()) return [path];
    const found = new Bun.Glob("**/*.test.ts").scanSync({ cwd: path });
    return [...found].toSorted().map((file) => `${path.replace(/\/$/, "")}/${file}`);
  });
}

async function measure(file: string): Promise<Cost> {
  const before = group?.secondsUsed() ?? 0;
  const command = [process.execPath, "test", "--timeout", "60000", file];
  const child = Bun.spawn(group === undefined ? command : [...joined(group), ...command], {
    stdio: ["ignore", "ignore", "ignore"],
  });
  const passed = (await child.exited) === 0;
  const waitedFor = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000;
  return { file, passed, seconds: group === undefined ? waitedFor : group.secondsUsed() - before };
}
