import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { Database } from "bun:sqlite";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { migrations } from "../../../src/state/store/migrate.ts";
import { StoreFile } from "../../../src/state/store/store-file.ts";
import type { StoreCall } from "../../../src/state/store/store-methods.ts";

let root = "";
let path = "";
let file: StoreFile;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-store-file-"));
  path = join(root, "scorpiox.db");
  file = new StoreFile(path, 50);
});
afterEach(() => {
  file.close();
  chmodSync(root, 0o700);
  rmSync(root, { recursive: true });
});

const scope = { workspace: "/w", owner: "" };
const create = (text: string): StoreCall => {
  return { method: "tasks.perform", request: { scope, request: { action: "create", text } } };
};
const list: StoreCall = { method: "tasks.export", request: { scope } };
const textsIn = (from: StoreFile): string[] => {
  const [outcome] = from.perform([list]);
  return outcome?.kind === "done" ? (outcome.value as { text: string }[]).map((t) => t.text) : [];
};
const asideFiles = (): string[] => readdirSync(root).filter((name) => name.includes(".damaged-"));
const pragma = (database: Database, name: string): unknown =>
  Object.values(database.query(`PRAGMA ${name}`).get() as object)[0];

/** Looks at, or changes, each connection before it begins a transaction. Returns what undoes that. */
function beforeEachTransaction(look: (database: Database) => void): () => void {
  const spy = spyOn(Database.prototype, "run");
  const run = spy.getMockImplementation();
  spy.mockImplementation(function (this: Database, ...args: Parameters<Database["run"]>) {
    if (args[0].startsWith("BEGIN")) look(this);
    return run?.apply(this, args) as never;
  });
  return () => spy.mockRestore();
}

describe("StoreFile", () => {
  test("requests together: one that is refused changes nothing and spoils no other", () => {
    const outcomes = file.perform([create("a"), create(" "), create("b")]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(["done", "refused", "done"]);
    expect(textsIn(file)).toEqual(["a", "b"]);
    expect(outcomes[2]).toMatchObject({ value: { tasks: [{ taskId: 2 }], total: 2 } });
  });

  test("the file and its side files are private; rights that others have are taken back", () => {
    file.perform([create("a")]);
    file.close();
    chmodSync(path, 0o644);
    file.perform([create("b")]);
    const modes = readdirSync(root).map((name) => statSync(join(root, name)).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  test.skipIf(process.platform === "win32")("damage in the middle is found at the start", () => {
    for (let place = 0; place < 50; place += 1) file.perform([create("x".repeat(2_000))]);
    file.close();
    const bytes = readFileSync(path);
    bytes.fill(0x41, 4096 * 3, bytes.length - 4096);
    writeFileSync(path, bytes);
    expect(file.perform([create("after")])[0]).toMatchObject({ kind: "done" });
    expect(textsIn(file)).toEqual(["after"]);
    expect(file.takeNotices().join()).toContain(
      `it was set aside as ${join(root, "scorpiox.db.damaged-")}`,
    );
    expect(file.takeNotices()).toEqual([]);
    expect(asideFiles()).toHaveLength(1);
  });

  test("damage while it is open: the file is set aside and the change is done in a new one", () => {
    file.perform([create("before")]);
    // A change of another process has ours read again what it knew.
    const other = new Database(path);
    other.run("CREATE TABLE more (x)");
    other.run("PRAGMA wal_checkpoint(TRUNCATE)");
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0x41, 4096), { flag: "r+" });
    other.close();
    expect(file.perform([create("after")])[0]).toMatchObject({ kind: "done" });
    expect(textsIn(file)).toEqual(["after"]);
    expect(file.takeNotices()[0]).toContain("is damaged (");
    expect(asideFiles().length).toBeGreaterThan(0);
  });

  test("a file that was cut to nothing begins anew", () => {
    file.perform([create("a")]);
    file.close();
    truncateSync(path, 0);
    expect(file.perform([create("b")])[0]).toMatchObject({ kind: "done" });
    expect(textsIn(file)).toEqual(["b"]);
  });

  const losses: [string, () => void, string[]][] = [
    ["removed", () => rmSync(path), ["after"]],
    [
      "replaced by another",
      () => {
        const other = new StoreFile(join(root, "other.db"));
        other.perform([create("of the other")]);
        other.close();
        for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix);
        renameSync(join(root, "other.db"), path);
      },
      ["of the other", "after"],
    ],
    ["robbed of its log", () => rmSync(`${path}-wal`), ["before", "after"]],
    [
      "given an empty log",
      () => (rmSync(`${path}-wal`), writeFileSync(`${path}-wal`, "")),
      ["before", "after"],
    ],
  ];
  test.each(losses)("a file that is %s under a running server", (_name, lose, expected) => {
    file.perform([create("before")]);
    lose();
    expect(file.perform([create("after")])[0]).toMatchObject({ kind: "done" });
    const fresh = new StoreFile(path);
    expect(textsIn(fresh)).toEqual(expected);
    fresh.close();
    expect(file.takeNotices().join()).toMatch(
      /scorpiox\.db(-wal)? was re(mov|plac)ed while it was/,
    );
  });

  test("a file that is replaced while it is waited for is left before anything is acknowledged", () => {
    file.perform([create("before")]);
    let isFirst = true;
    const undo = beforeEachTransaction(() => {
      if (isFirst)
        for (const suffix of ["", "-wal", "-shm"])
          renameSync(path + suffix, `${path}.aside${suffix}`);
      isFirst = false;
    });
    try {
      expect(file.perform([create("after")])[0]).toMatchObject({ kind: "done" });
    } finally {
      undo();
    }
    expect(textsIn(file)).toEqual(["after"]);
    expect(file.takeNotices().join()).toContain(`${path} was removed`);
  });

  test("busy for too long: said, and the next one goes through", () => {
    file.perform([create("a")]);
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    expect(() => file.perform([create("b")])).toThrow(
      "database is locked. Nothing was changed. Another process has been writing to it",
    );
    expect(textsIn(file)).toEqual(["a"]);
    expect(file.perform([list, create("b"), list])).toMatchObject([
      { kind: "done", value: [{ text: "a" }] },
      { kind: "refused", error: { message: expect.stringContaining("Nothing was changed.") } },
      { kind: "done", value: [{ text: "a" }] },
    ]);
    other.run("ROLLBACK");
    other.close();
    file.perform([create("c")]);
    expect(textsIn(file)).toEqual(["a", "c"]);
  });

  test("a full disk: said, nothing is lost, and the next one goes through", () => {
    file.perform([create("a")]);
    const undo = beforeEachTransaction((database) => database.run("PRAGMA max_page_count = 20"));
    const large = Array.from({ length: 20 }, () => create("x".repeat(9_000)));
    try {
      expect(() => file.perform(large)).toThrow(
        "database or disk is full. Nothing was changed. The disk is full: free space and try again",
      );
    } finally {
      undo();
    }
    file.perform([create("b")]);
    expect(textsIn(file)).toEqual(["a", "b"]);
  });

  test("a newer version has been here: refused, also when the file is open already", () => {
    file.perform([create("a")]);
    const newer = new Database(path);
    newer.run(`PRAGMA user_version = ${migrations.length + 1}`);
    newer.close();
    for (let time = 0; time < 2; time += 1) {
      expect(() => file.perform([create("b")])).toThrow(
        /newer version of scorpiox-code\. (Nothing was changed\. )?Update scorpiox-code and restart the server/,
      );
    }
  });

  test("what was acknowledged reaches the disk: FULL, and through the memory of the drive", () => {
    const seen: unknown[] = [];
    const names = ["synchronous", "fullfsync", "checkpoint_fullfsync"];
    const undo = beforeEachTransaction((database) => {
      seen.push(names.map((name) => pragma(database, name)));
    });
    try {
      file.perform([create("a")]);
    } finally {
      undo();
    }
    expect(seen.at(-1)).toEqual([2, 1, 1]);
  });
});
