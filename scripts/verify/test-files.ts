import { root } from "../../test/e2e/harness/binary.ts";

interface TestRun {
  readonly passed: number;
  readonly total: number;
  /** A line for each test that failed, or one that says that the run itself did. */
  readonly faults: readonly string[];
}

/** Runs test files, with more variables than we have. */
export async function runTestFiles(
  files: readonly string[],
  timeoutMs: number,
  env: Readonly<Record<string, string>>,
): Promise<TestRun> {
  const child = Bun.spawn([process.execPath, "test", "--timeout", String(timeoutMs), ...files], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, report, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const lines = `${out}\n${report}`.split("\n");
  const count = (word: string): number =>
    Number(
      lines
        .findLast((line) => new RegExp(String.raw`^ *\d+ ${word}$`).test(line))
        ?.trim()
        .split(" ")[0] ?? 0,
    );
  const failed = [...new Set(lines.filter((line) => line.startsWith("(fail)")))];
  const isUnexplained = exitCode !== 0 && failed.length === 0;
  return {
    passed: count("pass"),
    total: count("pass") + count("fail"),
    faults: isUnexplained ? [`the tests ended with ${exitCode}`] : failed,
  };
}
