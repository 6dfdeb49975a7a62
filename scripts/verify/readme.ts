/** README.md block by block in a clone and an empty home: its installer builds, and `npx` gets its first server. */
import { root } from "../../test/e2e/harness/binary.ts";
import type { Outcome } from "./outcome.ts";

export async function checkReadme(): Promise<Outcome> {
  const child = Bun.spawn(["bun", "test", "--timeout", "600000", "test/e2e/readme.test.ts"], {
    cwd: root,
    env: { ...process.env, README_WHOLE: "1" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const report = await child.stderr.text();
  const countOf = (word: string): number =>
    Number(new RegExp(`^ *(\\d+) ${word}$`, "m").exec(report)?.[1] ?? 0);
  const passed = countOf("pass");
  const faults = report.split("\n").filter((line) => line.startsWith("(fail) "));
  return {
    name: "README.md, from a clone and an empty home",
    passed: (await child.exited) === 0 && passed > 0,
    figures: `${passed} blocks and rules passed, ${countOf("fail")} failed`,
    faults,
  };
}
