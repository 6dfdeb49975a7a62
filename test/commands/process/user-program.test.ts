import { expect, test } from "bun:test";
import { join } from "node:path";

import { processesWith, sleepers, uniqueSeconds } from "../../e2e/harness/processes.ts";

const host = join(import.meta.dir, "fixtures/user-program-host.ts");

// Only there orphans come to us.
const linuxTest = test.skipIf(process.platform !== "linux");

linuxTest("startUserProgram(): what it started lives on, unlike other orphans", async () => {
  const [own, users] = [uniqueSeconds(), uniqueSeconds()];
  const child = Bun.spawn([process.execPath, host, own, users], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  expect(JSON.parse(await child.stdout.text())).toEqual({ exitCode: 0, strays: [1, 0] });
  expect([sleepers(own), sleepers(users)]).toEqual([0, 1]);
  for (const { pid } of processesWith(`sleep ${users}`)) process.kill(pid, "SIGKILL");
});
