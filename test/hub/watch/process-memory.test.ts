import { expect, test } from "bun:test";

import { residentBytesOf, residentBytesOfGroups } from "../../../src/hub/watch/process-memory.ts";
import { until } from "../../commands/process/until.ts";

const linuxTest = test.skipIf(process.platform !== "linux");

linuxTest("residentBytesOf() is the process's own, and unknown of one that is gone", async () => {
  const own = residentBytesOf(process.pid) ?? 0;
  expect(own / process.memoryUsage.rss()).toBeWithin(0.5, 2);
  const gone = Bun.spawn(["true"]);
  await gone.exited;
  expect(residentBytesOf(gone.pid)).toBeUndefined();
});

linuxTest("residentBytesOfGroups() has the children of a leader too", async () => {
  const leader = Bun.spawn(["sh", "-c", "sleep 600 & echo $!; wait"], {
    detached: true,
    stdout: "pipe",
  });
  const { value } = await leader.stdout.getReader().read();
  const child = Number(new TextDecoder().decode(value));
  const sums = residentBytesOfGroups([leader.pid, 1_999_999_999]);
  const [one = 0, other = 0] = [residentBytesOf(leader.pid), residentBytesOf(child)];
  expect([one > 0, other > 0, [...sums.keys()]]).toEqual([true, true, [leader.pid]]);
  expect((sums.get(leader.pid) ?? 0) / (one + other)).toBeWithin(0.5, 2);
  process.kill(-leader.pid, "SIGKILL");
  await leader.exited;
  await until(() => residentBytesOfGroups([leader.pid]).size === 0);
});
