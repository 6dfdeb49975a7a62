/**
 * Times behind docs/internals/decisions/toml.md and docs/internals/decisions/regex.md, of libraries beside the runtime's own:
 * `bun scripts/decisions/readers.ts`. Compare times of one run only.
 */
import { parse } from "smol-toml";

import { linearPattern } from "../../src/base/linear-pattern.ts";

const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("");

/** As many as fit into the longest `config.toml`, and one as a user has it. */
const tomlTexts: Readonly<Record<string, string>> = {
  "twenty servers, the first parse": many(
    20,
    (at) => `[mcp.servers.s${at}]\ncommand = "npx"\nargs = ["-y", "x"]\n`,
  ),
  "14,000 tables": many(14_000, (at) => `[a${at}]\n`),
  "14,000 keys": many(14_000, (at) => `a${at}=1\n`),
  "a key of 60,000 parts": `a${".a".repeat(60_000)}=1`,
  "60,000 numbers in a list": `a=[${"1,".repeat(60_000)}]`,
};

const lines = Array.from(
  { length: 100_000 },
  (_, at) => `2026-11-23T10:00:${at % 60} INFO worker-${at} finished request ${at * 7} in ${at} ms`,
);
const everydayPatterns = ["listening on", "ERROR|WARN", "^2026.*ms$", "worker-\\d+ finished"];
/** Each is matched with 4,000 characters; the last one does match, and the runtime gives up before it finds that. */
const hostilePatterns = [
  "(a+)+$",
  "(a|b)*a(a|b){300}\\b$",
  "(.*)*(.*)*(.*)*y$",
  "(x?){100}x{100}$",
  "^(?:(a+)+b|a*!)$",
];

function msOf(work: () => unknown): string {
  const start = performance.now();
  work();
  return (performance.now() - start).toFixed(1);
}

function printRow(...cells: readonly string[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}

printRow("TOML, ms", "smol-toml", "Bun.TOML");
printRow("---", "---:", "---:");
for (const [name, text] of Object.entries(tomlTexts)) {
  printRow(
    name,
    msOf(() => parse(text)),
    msOf(() => Bun.TOML.parse(text)),
  );
}

console.log();
console.log(`First pattern, the load of re2js included: ${await timeOfFirst()} ms.\n`);
printRow("pattern, ms", "re2js", "runtime", "found");
printRow("---", "---:", "---:", "---");
for (const source of everydayPatterns) {
  const linear = await linearPattern(source);
  const native = new RegExp(source, "u");
  const countIn = (pattern: Pick<RegExp, "test">) => () =>
    lines.filter((line) => pattern.test(line));
  printRow(`\`${source}\``, msOf(countIn(linear)), msOf(countIn(native)));
}
const hostileText = `${"a".repeat(4_000)}!`;
for (const source of hostilePatterns) {
  const pattern = await linearPattern(source);
  const native = new RegExp(source, "u");
  printRow(
    `\`${source}\``,
    msOf(() => pattern.test(hostileText)),
    msOf(() => native.test(hostileText)),
    `${pattern.test(hostileText)}, ${native.test(hostileText)}`,
  );
}

async function timeOfFirst(): Promise<string> {
  const start = performance.now();
  await linearPattern("a");
  return (performance.now() - start).toFixed(1);
}
