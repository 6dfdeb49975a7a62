import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import type { Outcome } from "./outcome.ts";
import { runTestFiles } from "./test-files.ts";

/** The test files of which the suite takes a share (`test/fixtures/long-run.ts`), whole. */
export async function checkLongTests(): Promise<Outcome> {
  const files = await filesWithShares();
  const { passed, total, faults } = await runTestFiles(files, 300_000, { TEST_LONG: "1" });
  return {
    name: "long tests",
    passed: faults.length === 0 && passed > 0,
    figures: `${passed} of ${total} tests of ${files.length} files, with every row and try`,
    faults,
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
