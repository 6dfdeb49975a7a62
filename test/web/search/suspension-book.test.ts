import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { eventually } from "../../e2e/harness/conditions.ts";
import { SuspensionBook, type SuspensionVerdict } from "../../../src/web/search/suspension-book.ts";

const challenge: SuspensionVerdict = { kind: "challenge", reason: "captcha" };
const startMs = Date.parse("2026-03-31T12:00:00Z");
const hourMs = 3_600_000;

let root = "";
let storePath = "";
let nowMs = startMs;
let warnings: string[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-book-"));
  storePath = join(root, "s.db");
  nowMs = startMs;
  warnings = [];
});
afterEach(() => rmSync(root, { recursive: true }));

const openBook = (path = storePath): SuspensionBook =>
  new SuspensionBook({ storePath: path, now: () => nowMs, warn: (text) => warnings.push(text) });

describe("SuspensionBook", () => {
  test("what one process notes, another sees, and so does one that starts later", () => {
    using first = openBook();
    using second = openBook();
    expect(second.suspended()).toEqual(new Map());
    first.record("brave", challenge, false);
    const expected = new Map([
      ["brave", { kind: "suspended", leftMs: hourMs, reason: "captcha" } as const],
    ]);
    expect(second.suspended()).toEqual(expected);
    using third = openBook();
    expect(third.suspended()).toEqual(expected);
  });

  test("one probe at a time; a success ends the suspension for all", () => {
    using first = openBook();
    using second = openBook();
    first.record("brave", challenge, false);
    expect(first.claimProbe("brave")).toBe(false);
    nowMs += hourMs;
    expect(second.suspended().get("brave")).toEqual({ kind: "due", reason: "captcha" });
    expect([first.claimProbe("brave"), second.claimProbe("brave")]).toEqual([true, false]);
    expect(second.suspended().get("brave")?.kind).toBe("suspended");
    first.record("brave", { kind: "healthy" }, true);
    expect(second.suspended()).toEqual(new Map());
    expect(second.claimProbe("brave")).toBe(false);
  });

  test("forget() ends all suspensions, for all processes", () => {
    using first = openBook();
    using second = openBook();
    first.record("brave", challenge, false);
    second.record("bing", challenge, false);
    expect(first.forget()).toBe(true);
    expect([first.suspended(), second.suspended()]).toEqual([new Map(), new Map()]);
  });

  test("forget() ends those that are kept in memory, and says that the store was not reached", () => {
    writeFileSync(join(root, "no-folder"), "");
    using book = openBook(join(root, "no-folder", "s.db"));
    book.record("brave", challenge, false);
    expect(book.forget()).toBe(false);
    expect(book.suspended()).toEqual(new Map());
  });

  test("a probe that died with its process is followed by another", () => {
    using first = openBook();
    using second = openBook();
    first.record("brave", challenge, false);
    nowMs += hourMs;
    expect(first.claimProbe("brave")).toBe(true);
    nowMs += 12_000;
    expect(second.claimProbe("brave")).toBe(true);
  });

  test("of six processes at once exactly one probes", async () => {
    {
      using book = openBook();
      book.record("brave", challenge, false);
    }
    const fixture = join(import.meta.dir, "fixtures/claim-probe.ts");
    const outputs = await Promise.all(
      Array.from({ length: 6 }, () =>
        Bun.spawn([process.execPath, fixture, storePath, String(startMs + hourMs)], {
          stdio: ["ignore", "pipe", "inherit"],
        }).stdout.text(),
      ),
    );
    expect(outputs.filter((output) => output.endsWith("true\n"))).toEqual(["due true\n"]);
  });

  test("a clock that was set back makes an engine due, not suspended for ever", () => {
    using book = openBook();
    book.record("brave", challenge, false);
    nowMs -= 100 * hourMs;
    expect(book.suspended().get("brave")?.kind).toBe("due");
    expect(book.claimProbe("brave")).toBe(true);
  });
});

describe("a store that cannot be used", () => {
  test("is replaced by memory, and complained of once", () => {
    using book = openBook("/dev/null/s.db");
    expect(book.suspended()).toEqual(new Map());
    book.record("brave", challenge, false);
    book.record("bing", challenge, false);
    expect([...book.suspended().keys()]).toEqual(["brave", "bing"]);
    nowMs += hourMs;
    expect([book.claimProbe("brave"), book.claimProbe("brave")]).toEqual([true, false]);
    book.record("brave", { kind: "healthy" }, true);
    expect([...book.suspended().keys()]).toEqual(["bing"]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("/dev/null/s.db cannot be used");
  });

  test("that is locked holds up one write, and is told what it missed with the next", async () => {
    using book = openBook();
    book.record("brave", challenge, false);
    // Another process holds the lock for longer than a search waits.
    using other = new Database(storePath);
    other.run("BEGIN EXCLUSIVE");
    const engines = ["bing", "mojeek", "google", "yandex"];
    for (const engine of engines) book.record(engine, challenge, false);
    expect(engines.map((engine) => book.suspended().get(engine)?.kind)).toEqual(
      Array(4).fill("suspended"),
    );
    other.run("COMMIT");
    using third = openBook();
    book.record("baidu", challenge, false);
    // For a second it is not even tried.
    expect([...third.suspended().keys()]).toEqual(["brave"]);
    nowMs += hourMs;
    await eventually("a write of the store", () => {
      book.claimProbe("bing");
      book.record("bing", challenge, true);
      return third.suspended().has("bing");
    });
    expect(third.suspended().get("bing")?.kind).toBe("suspended");
    expect(third.suspended().has("mojeek")).toBe(false);
  });

  test("that is damaged while it is used is set aside, and used anew", () => {
    using book = openBook();
    book.record("brave", challenge, false);
    for (const suffix of ["-wal", "-shm"]) rmSync(`${storePath}${suffix}`, { force: true });
    writeFileSync(storePath, "no database ".repeat(2_000));
    using other = openBook();
    other.record("mojeek", challenge, false);
    expect([...other.suspended().keys()]).toEqual(["mojeek"]);
    book.suspended();
    book.record("bing", challenge, false);
    expect(book.suspended().get("bing")?.kind).toBe("suspended");
  });

  test("that is no database is set aside", () => {
    writeFileSync(storePath, "no database ".repeat(200));
    using book = openBook();
    book.record("brave", challenge, false);
    expect([...book.suspended().keys()]).toEqual(["brave"]);
    expect(readdirSync(root).some((name) => name.includes("damaged"))).toBe(true);
  });
});
