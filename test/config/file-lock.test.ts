import { describe, expect, test } from "bun:test";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { AppError } from "../../src/base/errors.ts";
import { isFileLocked, withFileLock } from "../../src/config/file-lock.ts";
import { removeLeftDrafts, replaceFile } from "../../src/config/replace-file.ts";
import { posixTest } from "../e2e/harness/platform.ts";
import { TempTree } from "./temp-tree.ts";

describe("withFileLock()", () => {
  test("one works after the other, and a failure lets the lock go", async () => {
    using tree = new TempTree();
    const file = tree.path("home/new/count");
    const addOne = (): Promise<void> =>
      withFileLock(file, async () => {
        const before = Number(
          await Bun.file(file)
            .text()
            .catch(() => "0"),
        );
        await Bun.sleep(0);
        writeFileSync(file, String(before + 1));
      });
    const failing = withFileLock(file, () => Promise.reject(new Error("mine")));
    const works = Array.from({ length: 10 }, addOne);
    expect(await failing.catch((error: Error) => error.message)).toBe("mine");
    await Promise.all(works);
    expect(readFileSync(file, "utf8")).toBe("10");
  });

  test("the lock of a killed process is free", async () => {
    using tree = new TempTree();
    const file = tree.path("home/file");
    const module = JSON.stringify(join(import.meta.dir, "../../src/config/file-lock.ts"));
    const code = `import { withFileLock } from ${module};
      await withFileLock(process.argv[1], async () => { console.log("held"); await Bun.sleep(60_000); });`;
    const holder = Bun.spawn([process.execPath, "-e", code, file], { stdout: "pipe" });
    await holder.stdout.getReader().read();
    const waiting = withFileLock(file, () => "mine");
    holder.kill("SIGKILL");
    expect(await waiting).toBe("mine");
  });

  test("isFileLocked() is true while it is held, and makes no lock", async () => {
    using tree = new TempTree();
    const file = tree.path("home/file");
    expect([isFileLocked(file), readdirSync(tree.path("home"))]).toEqual([false, []]);
    expect(await withFileLock(file, () => isFileLocked(file))).toBe(true);
    expect(isFileLocked(file)).toBe(false);
    // A look does not keep it.
    expect(await withFileLock(file, () => "mine")).toBe("mine");
  });

  test("a second caller in a process does not let another process in", async () => {
    using tree = new TempTree();
    const file = tree.path("home/file");
    const { promise, resolve } = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const first = withFileLock(file, () => {
      taken.resolve();
      return promise;
    });
    await taken.promise;
    const second = withFileLock(file, () => "second");
    const code = `import { Database } from "bun:sqlite";
      try { new Database(process.argv[1]).run("BEGIN EXCLUSIVE"); console.log("free"); }
      catch (error) { console.log(error.code); }`;
    const other = Bun.spawn([process.execPath, "-e", code, `${file}.lock`], { stdout: "pipe" });
    expect(await other.stdout.text()).toBe("SQLITE_BUSY\n");
    resolve();
    expect([await first, await second]).toEqual([undefined, "second"]);
  });

  test("a lock that cannot be made is told", async () => {
    using tree = new TempTree({ "home/file": "" });
    const failed = await withFileLock(tree.path("home/file/below"), () => 1).catch(
      (error) => error,
    );
    expect(failed).toBeInstanceOf(AppError);
    expect((failed as AppError).code).toBe("system");
  });
});

posixTest("a lock is its user's alone, whatever the umask", async () => {
  using tree = new TempTree();
  const file = tree.path("home/file");
  const program = `
    import { withFileLock } from ${JSON.stringify(join(import.meta.dir, "../../src/config/file-lock.ts"))};
    process.umask(0);
    await withFileLock(${JSON.stringify(file)}, () => {});
  `;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "inherit" });
  expect(await child.exited).toBe(0);
  expect((statSync(`${file}.lock`).mode & 0o777).toString(8)).toBe("600");
});

describe("replaceFile()", () => {
  posixTest("replaces the whole content, with this mode, and leaves nothing else", () => {
    using tree = new TempTree({ "home/a/file": "old", "home/a/target": "kept" });
    replaceFile(tree.path("home/a/file"), "new", 0o640);
    expect(readFileSync(tree.path("home/a/file"), "utf8")).toBe("new");
    expect(statSync(tree.path("home/a/file")).mode & 0o777).toBe(0o640);
    expect(readdirSync(tree.path("home/a")).sort()).toEqual(["file", "target"]);
  });

  test("drafts of writers that were killed are removed, and nothing else", () => {
    using tree = new TempTree({
      "home/a/.file.1234.tmp": "cut sho",
      "home/a/.file2.1.tmp": "another's",
    });
    replaceFile(tree.path("home/a/file"), "new");
    removeLeftDrafts(tree.path("home/a/file"));
    expect(readdirSync(tree.path("home/a")).sort()).toEqual([".file2.1.tmp", "file"]);
  });

  test("what cannot be replaced stays as it was", () => {
    using tree = new TempTree({ "home/a/folder": { dir: true } });
    expect(() => replaceFile(tree.path("home/a/folder"), "new")).toThrow();
    expect(readdirSync(tree.path("home/a"))).toEqual(["folder"]);
  });
});
