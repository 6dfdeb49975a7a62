import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type EngineSuspension, EngineSuspensions } from "../../../src/state/store/tables.ts";
import { migrations } from "../../../src/state/store/migrate.ts";
import { openStore } from "../../../src/state/store/open-store.ts";

let root = "";
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "scorpiox-store-"))));
afterEach(() => rmSync(root, { recursive: true }));

const open = (): EngineSuspensions =>
  new EngineSuspensions(
    openStore(join(root, "s.db"), { busyMsMax: 1_000, synchronous: "normal", warn: () => {} }),
  );

const brave: EngineSuspension = {
  engine: "brave",
  reason: "captcha",
  untilMs: 1_774_958_400_000,
  probeUntilMs: 0,
  challenges: 1,
  denials: 0,
  faults: 2,
};

describe("EngineSuspensions", () => {
  test("keeps what it was given, for others too, and forgets it", () => {
    using first = open();
    using second = open();
    first.update("brave", (present) => {
      expect(present).toBeUndefined();
      return brave;
    });
    expect(second.all()).toEqual([brave]);
    second.update("brave", (present) => {
      expect(present).toEqual(brave);
      return undefined;
    });
    expect(first.all()).toEqual([]);
  });

  test("a claim holds only for what was seen", () => {
    using store = open();
    store.update("brave", () => brave);
    expect(store.claimProbe(brave, 5)).toBe(true);
    expect(store.claimProbe(brave, 6)).toBe(false);
    expect(store.claimProbe({ ...brave, probeUntilMs: 5, untilMs: 1 }, 6)).toBe(false);
    expect(store.claimProbe({ ...brave, engine: "bing" }, 6)).toBe(false);
    expect(store.all()).toEqual([{ ...brave, probeUntilMs: 5 }]);
  });

  test("a change that throws leaves everything as it was", () => {
    using store = open();
    store.update("brave", () => brave);
    const broken = (): never => {
      throw new Error("broken");
    };
    expect(() => store.update("brave", broken)).toThrow("broken");
    expect(store.all()).toEqual([brave]);
  });

  test("a store of the version before has it after it was opened, with what it had", () => {
    const old = new Database(join(root, "s.db"));
    old.run(migrations[0] ?? "");
    old.run("INSERT INTO instances VALUES ('i', 5, 6, 'b')");
    old.run("PRAGMA user_version = 1");
    old.close();
    const store = open();
    expect(store.all()).toEqual([]);
    store[Symbol.dispose]();
    const again = new Database(join(root, "s.db"));
    expect(again.query("SELECT id FROM instances").all()).toEqual([{ id: "i" }]);
    again.close();
  });
});
