import { expect, test } from "bun:test";
import { join } from "node:path";

import { eventually } from "../../e2e/harness/conditions.ts";

const starts = `
  import { startRedis } from ${JSON.stringify(join(import.meta.dir, "redis.ts"))};
  const redis = await startRedis();
  console.log(redis.pid, redis.guardPid);
  await new Promise(() => {});
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.each(["the process that started it", "its guard"])(
  "startRedis: the engine ends with %s",
  async (what) => {
    const child = Bun.spawn([process.execPath, "-e", starts], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const { value } = await child.stdout.getReader().read();
    const [pid = 0, guardPid = 0] = new TextDecoder().decode(value).split(" ").map(Number);
    expect(isAlive(pid)).toBe(true);
    process.kill(what === "its guard" ? guardPid : child.pid, "SIGKILL");
    await eventually("the engine has ended", () => !isAlive(pid));
    child.kill("SIGKILL");
    await child.exited;
  },
);
