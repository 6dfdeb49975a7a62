import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Ledger } from "../../../src/state/store/tables.ts";
import { migrations } from "../../../src/state/store/migrate.ts";
import { openStore } from "../../../src/state/store/open-store.ts";

let root = "";
let warnings: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-store-"));
  warnings = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const open = (path: string): Database =>
  openStore(path, {
    busyMsMax: 1_000,
    synchronous: "normal",
    warn: (message) => warnings.push(message),
  });
const pragma = (database: Database, name: string): unknown =>
  Object.values(database.query(`PRAGMA ${name}`).get() as object)[0];
const instance = { id: "i", pid: 5, startTicks: 6, bootId: "b" };

describe("openStore()", () => {
  test("makes a private file in a private folder, and its side files too", () => {
    const folder = join(root, "new/deep");
    const database = open(join(folder, "s.db"));
    database.run("CREATE TABLE more (x)");
    const modes = [".", ...readdirSync(folder)].map((name) => [
      name,
      (statSync(join(folder, name)).mode & 0o777).toString(8),
    ]);
    expect(Object.fromEntries(modes) as object).toEqual({
      ".": "700",
      "s.db": "600",
      "s.db-shm": "600",
      "s.db-wal": "600",
    });
    expect(
      ["user_version", "journal_mode", "foreign_keys"].map((name) => pragma(database, name)),
    ).toEqual([migrations.length, "wal", 1]);
    database.close();
  });

  test("what was written is there the next time; no step is done twice", () => {
    const path = join(root, "s.db");
    const first = new Ledger(open(path));
    first.addInstance(instance);
    first[Symbol.dispose]();
    const second = new Ledger(open(path));
    expect(second.instances()).toEqual([instance]);
    second[Symbol.dispose]();
    expect(warnings).toEqual([]);
  });

  test("a damaged file is set aside as it was, and said", () => {
    const path = join(root, "s.db");
    const damaged = "this is no database, but somebody's text. ".repeat(100);
    writeFileSync(path, damaged);
    open(path).close();
    const aside = readdirSync(root).filter((name) => name.startsWith("s.db.damaged-"));
    expect(aside).toHaveLength(1);
    expect(readFileSync(join(root, aside[0] ?? ""), "utf8")).toBe(damaged);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`it was set aside as ${join(root, aside[0] ?? "")}`);
  });

  test("a file of a newer version is refused and not touched", () => {
    const path = join(root, "s.db");
    const newer = new Database(path);
    newer.run(`PRAGMA user_version = ${migrations.length + 1}`);
    newer.close();
    expect(() => open(path)).toThrow("written by a newer version");
    const again = new Database(path);
    expect(pragma(again, "user_version")).toBe(migrations.length + 1);
    again.close();
    expect(readdirSync(root).filter((name) => name.includes("damaged"))).toEqual([]);
  });

  test("a folder that cannot be made is refused with what to do", () => {
    writeFileSync(join(root, "file"), "");
    expect(() => open(join(root, "file/s.db"))).toThrow(/cannot be used: .*SCORPIOX_HOME/);
  });

  /** What four processes say that open the store and write 20 instances each, all at once. */
  const writeTogether = (path: string): Promise<string[]> => {
    const fixture = join(import.meta.dir, "fixtures/open-and-write.ts");
    const runs = ["a", "b", "c", "d"].map((name) =>
      Bun.spawn([process.execPath, fixture, path, name], {
        stdio: ["ignore", "pipe", "inherit"],
      }).stdout.text(),
    );
    return Promise.all(runs);
  };
  const countIn = (path: string): number => {
    const ledger = new Ledger(open(path));
    const count = ledger.instances().length;
    ledger[Symbol.dispose]();
    return count;
  };

  test("four processes at once make and use the same new file", async () => {
    const path = join(root, "s.db");
    expect(await writeTogether(path)).toEqual(Array(4).fill("done\n"));
    expect(countIn(path)).toBe(80);
  });

  test("four processes at once find the same damage: one file is set aside, and nothing is lost", async () => {
    const path = join(root, "s.db");
    writeFileSync(path, "no database ".repeat(1_000));
    const outputs = await writeTogether(path);
    expect(outputs.filter((output) => !output.endsWith("done\n"))).toEqual([]);
    expect(outputs.filter((output) => output.includes("it was set aside as"))).toHaveLength(1);
    expect(readdirSync(root).filter((name) => name.startsWith("s.db.damaged-"))).toHaveLength(1);
    expect(countIn(path)).toBe(80);
  });

  test("a lock that a process left behind while it moved a file keeps nobody from it", () => {
    const path = join(root, "s.db");
    writeFileSync(path, "no database ".repeat(1_000));
    writeFileSync(`${path}.moving`, "");
    utimesSync(`${path}.moving`, 0, 0);
    open(path).close();
    expect(readdirSync(root).filter((name) => name.includes(".moving"))).toEqual([]);
  });
});

test("Ledger: a run that is removed takes its groups along, another keeps its own", () => {
  using ledger = new Ledger(open(join(root, "s.db")));
  ledger.addInstance(instance);
  ledger.addInstance({ ...instance, id: "other" });
  for (const groupId of [10, 11]) ledger.addGroup("i", { groupId, startTicks: 1 });
  ledger.addGroup("other", { groupId: 10, startTicks: 2 });
  ledger.addGroup("i", { groupId: 11, startTicks: 3 });
  expect(ledger.groupsOf("i")).toEqual([
    { groupId: 10, startTicks: 1 },
    { groupId: 11, startTicks: 3 },
  ]);
  ledger.removeGroup("i", 10);
  ledger.removeInstance("i");
  expect([ledger.instances().length, ledger.groupsOf("i"), ledger.groupsOf("other")]).toEqual([
    1,
    [],
    [{ groupId: 10, startTicks: 2 }],
  ]);
});
