import { expect, test } from "bun:test";

import { Orphanage } from "../../../src/commands/process/orphanage.ts";
import { Guardian } from "../../../src/commands/process/guardian.ts";
import { listOwnChildren, readProcStat } from "../../../src/commands/process/processes.ts";
import { until } from "./until.ts";

const startSleep = () =>
  Bun.spawn(["/bin/sleep", "300"], { detached: true, stdio: ["ignore", "ignore", "ignore"] });

/** The one child that appeared since `before`, not counting `known`. */
function newChild(before: readonly number[], known: readonly number[]): number | undefined {
  return listOwnChildren().find((pid) => !before.includes(pid) && !known.includes(pid));
}

test("Guardian: one that was killed is replaced by one that knows the live groups", async () => {
  const before = listOwnChildren();
  const child = startSleep();
  const guardian = new Guardian(`replaced${process.pid}`, new Orphanage());
  guardian.start();
  const first = newChild(before, [child.pid]) ?? 0;
  expect(readProcStat(first)?.groupId).toBe(first);
  guardian.add(child.pid);
  // Groups are told after a tenth of a second: the group counts as live from then on.
  await Bun.sleep(200);
  process.kill(first, "SIGKILL");
  await until(() => newChild(before, [child.pid, first]) !== undefined);
  guardian[Symbol.dispose]();
  await child.exited;
  expect(child.signalCode).toBe("SIGTERM");
});

test("Guardian: one that was not started is started for the first group", async () => {
  const child = startSleep();
  const guardian = new Guardian(`late${process.pid}`, new Orphanage());
  guardian.add(child.pid);
  guardian[Symbol.dispose]();
  await child.exited;
  expect(child.signalCode).toBe("SIGTERM");
});

test("Guardian: groups that come and go, also after its end, do no harm", async () => {
  const guardian = new Guardian(`closed${process.pid}`, new Orphanage());
  guardian.add(2 ** 22 + 1);
  guardian.remove(2 ** 22 + 1);
  guardian.start();
  guardian[Symbol.dispose]();
  guardian[Symbol.dispose]();
  guardian.start();
  guardian.add(2 ** 22 + 2);
  await Bun.sleep(20);
  guardian.remove(2 ** 22 + 2);
});
