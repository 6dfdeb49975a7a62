import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import type { Outcome } from "./outcome.ts";

/** The test files of which the suite takes a share (`test/fixtures/long-run.ts`), whole. */
export async function checkLongTests(): Promise<Outcome> {
  const files = await filesWithShares();
  const child = Bun.spawn([process.execPath, "test", "--timeout", "300000", ...files], {
    cwd: root,
    env: { ...process.env, TEST_LONG: "1" },
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
  const failed = lines.filter((line) => line.startsWith("(fail)"));
  return {
    name: "long tests",
    passed: exitCode === 0 && count("pass") > 0,
    figures: `${count("pass")} of ${count("pass") + count("fail")} tests of ${files.length} files, with every row and try`,
    faults: [...new Set(failed)],
  };
}

async function filesWithShares(): Promise<readonly string[]> {
  const paths = [...new Bun.Glob("test/**/*.test.ts").scanSync({ cwd: root })].toSorted();
  const found: string[] = [];
  for (const path of paths) {
    if ((await Bun.file(join(root, path)).text()).includes("fixtures/long-run.ts"))
      found.push(path);
  }
  return found;
}
