import { expect, test } from "bun:test";
import { join } from "node:path";

test("routeConsoleToStderr(): no method of console writes to stdout", async () => {
  const fixture = join(import.meta.dir, "fixtures/print-everything.ts");
  const child = Bun.spawn([process.execPath, fixture], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(stdout).toBe("");
  for (const said of ["by log", "by info", "by debug", "by table", "bytes ok"]) {
    expect(stderr).toContain(said);
  }
});
