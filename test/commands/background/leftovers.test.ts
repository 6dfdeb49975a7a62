import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { FamilyLedger } from "../../../src/commands/background/family-ledger.ts";
import { describeInstance, endLeftovers } from "../../../src/commands/background/leftovers.ts";
import {
  isProcessAlive,
  ownerMark,
  ownerVariable,
  readProcStat,
  readProcVariable,
} from "../../../src/commands/process/processes.ts";
import { spawnLeader } from "../../../src/commands/process/command.ts";
import { Ledger } from "../../../src/state/store/tables.ts";
import { openStore } from "../../../src/state/store/open-store.ts";
import { isBusy } from "../../../src/state/store/store-errors.ts";
import { until } from "../process/until.ts";

let root = "";
let warnings: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-leftovers-"));
  warnings = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const warn = (message: string): void => void warnings.push(message);
const openLedger = (): Ledger =>
  new Ledger(openStore(join(root, "s.db"), { busyMsMax: 1_000, synchronous: "normal", warn }));
const startSleep = (mark?: string) =>
  Bun.spawn(["/bin/sleep", "300"], {
    detached: true,
    env: mark === undefined ? {} : { [ownerVariable]: mark },
    stdio: ["ignore", "ignore", "ignore"],
  });
const groupOf = (pid: number, more = 0) => ({
  groupId: pid,
  startTicks: (readProcStat(pid)?.startTicks ?? 0) + more,
});

const self = describeInstance("self");
const unique = `left${process.pid}x${Date.now()}`;
const dead = { ...self, startTicks: self.startTicks + 1 };

describe("endLeftovers()", () => {
  test("ends groups and marked processes of a dead run and forgets it; a live run's are not touched", async () => {
    using ledger = openLedger();
    const [group, marked, reused, live] = [
      startSleep(),
      startSleep(ownerMark(`${unique}dead`, 1)),
      startSleep(),
      startSleep(ownerMark(`${unique}live`, 1)),
    ];
    ledger.addInstance({ ...dead, id: `${unique}dead` });
    ledger.addGroup(`${unique}dead`, groupOf(group.pid));
    // The id was given to another process since: its start is another.
    ledger.addGroup(`${unique}dead`, groupOf(reused.pid, 1));
    ledger.addInstance({ ...self, id: `${unique}live` });
    ledger.addGroup(`${unique}live`, groupOf(live.pid));
    expect(await endLeftovers(ledger)).toBe(1);
    await Promise.all([group.exited, marked.exited]);
    expect([reused.pid, live.pid].map(isProcessAlive)).toEqual([true, true]);
    expect(ledger.instances().map(({ id }) => id)).toEqual([`${unique}live`]);
    for (const child of [reused, live]) child.kill("SIGKILL");
    await Promise.all([reused.exited, live.exited]);
  });

  test.skipIf(process.platform !== "linux")(
    "finds who wiped the environment and left the session by the second mark",
    async () => {
      using ledger = openLedger();
      const [wiped, live] = ["wiped", "other"].map((name) =>
        spawnLeader(
          {
            argv: ["/usr/bin/env", "-i", "/bin/sleep", "300"],
            cwd: "/",
            env: { [ownerVariable]: ownerMark(unique + name, 1) },
          },
          ["ignore", "ignore", "ignore"],
          () => {},
        ),
      ) as [Bun.Subprocess, Bun.Subprocess];
      await until(() => readProcVariable(wiped.pid, ownerVariable) === undefined);
      ledger.addInstance({ ...dead, id: `${unique}wiped` });
      expect(await endLeftovers(ledger)).toBe(1);
      await wiped.exited;
      expect(isProcessAlive(live.pid)).toBe(true);
      live.kill("SIGKILL");
      await live.exited;
    },
  );

  test("forgets a run before the last reboot without sending anything", async () => {
    using ledger = openLedger();
    const child = startSleep(ownerMark(`${unique}boot`, 1));
    ledger.addInstance({ ...self, id: `${unique}boot`, bootId: "another boot" });
    ledger.addGroup(`${unique}boot`, groupOf(child.pid));
    expect(await endLeftovers(ledger)).toBe(1);
    expect([isProcessAlive(child.pid), ledger.instances()]).toEqual([true, []]);
    child.kill("SIGKILL");
    await child.exited;
  });
});

describe("FamilyLedger", () => {
  const family = { groupId: process.pid, mark: "x.1" };
  const run = { instanceId: "run", isBusy, warn };

  test("writes a family down while it lives, and forgets the run at the end", async () => {
    const ledger = new FamilyLedger({ ...run, open: openLedger });
    using look = openLedger();
    ledger.onFamily(family, true);
    await until(() => look.groupsOf("run").length === 1);
    expect(look.groupsOf("run")).toEqual([{ groupId: process.pid, startTicks: self.startTicks }]);
    expect(look.instances()).toEqual([{ ...self, id: "run" }]);
    ledger.onFamily(family, false);
    expect(look.groupsOf("run")).toEqual([]);
    ledger[Symbol.dispose]();
    expect(look.instances()).toEqual([]);
  });

  test("a run that ends with live families stays written down", async () => {
    const ledger = new FamilyLedger({ ...run, open: openLedger });
    using look = openLedger();
    ledger.onFamily(family, true);
    await until(() => look.groupsOf("run").length === 1);
    ledger[Symbol.dispose]();
    expect(look.instances().map(({ id }) => id)).toEqual(["run"]);
  });

  test("what another process keeps from being written is written later, and nothing is said", async () => {
    const options = { busyMsMax: 1, synchronous: "normal", warn } as const;
    let tries = 0;
    const open = (): Ledger => {
      tries += 1;
      return new Ledger(openStore(join(root, "s.db"), options));
    };
    openLedger()[Symbol.dispose]();
    const other = new Database(join(root, "s.db"));
    const ledger = new FamilyLedger({ ...run, open });
    // Nobody may even read, as while the file is made.
    other.run("PRAGMA locking_mode = EXCLUSIVE");
    other.run("BEGIN EXCLUSIVE");
    const ending = ledger.endLeftovers();
    ledger.onFamily(family, true);
    await until(() => tries >= 4);
    other.run("COMMIT");
    other.close();
    await ending;
    using look = openLedger();
    await until(() => look.groupsOf("run").length === 1);
    ledger.onFamily(family, false);
    await until(() => look.groupsOf("run").length === 0);
    ledger[Symbol.dispose]();
    expect([look.instances(), warnings]).toEqual([[], []]);
  });

  test("a store that cannot be used is said once, and nothing is thrown", async () => {
    writeFileSync(join(root, "file"), "");
    const options = { busyMsMax: 1, synchronous: "normal", warn } as const;
    const open = (): Ledger => new Ledger(openStore(join(root, "file/s.db"), options));
    const ledger = new FamilyLedger({ ...run, open });
    await ledger.endLeftovers();
    await ledger.endLeftovers();
    ledger.onFamily(family, true);
    ledger.onFamily(family, false);
    ledger[Symbol.dispose]();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("Commands still run");
  });
});
