import { afterAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { readImageFile } from "../../../src/tools/images/image-file.ts";
import { resolveImagePath } from "../../../src/tools/read-image.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-images-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
writeFileSync(at("ten"), "0123456789");
writeFileSync(at("empty"), "");
mkdirSync(at("folder"));
symlinkSync("ten", at("link"));
symlinkSync("loop", at("loop"));
const hasFifo = Bun.spawnSync(["mkfifo", at("fifo")]).exitCode === 0;

describe("readImageFile()", () => {
  test.each([
    [at("ten"), 10],
    [at("link"), 10],
    [at("ten"), 11],
  ])("reads %s whole", (path, wholeBytesMax) => {
    expect(readImageFile(path, wholeBytesMax)).toEqual({
      size: 10,
      bytes: Buffer.from("0123456789"),
    });
  });

  test.skipIf(!existsSync("/dev/shm"))("reads what is kept in shared memory", () => {
    const shared = join("/dev/shm", basename(folder));
    writeFileSync(shared, "0123456789");
    try {
      expect(readImageFile(shared, 10).size).toBe(10);
    } finally {
      rmSync(shared);
    }
  });

  test("reads the beginning of what is longer", () => {
    writeFileSync(at("long"), Buffer.alloc(20_000, 1));
    const { size, bytes } = readImageFile(at("long"), 19_999);
    expect([size, bytes.length]).toEqual([20_000, 8_192]);
  });

  test("opens no file of the store, whatever its name: closing it would drop the locks of this process", () => {
    for (const name of ["scorpiox.db", "scorpiox.db-wal", "scorpiox.db-shm"]) {
      writeFileSync(at(name), "0123456789");
      symlinkSync(at(name), at(`${name}.png`));
      for (const path of [at(name), at(`${name}.png`)]) {
        expect(() => readImageFile(path, 100)).toThrow("belongs to scorpiox-code's database");
      }
    }
  });

  test.each([
    [at("missing"), "there is no such file"],
    [at("ten/x"), "part of the path is not a folder"],
    [at("folder"), "is a folder"],
    [at("empty"), "is empty"],
    [at("loop"), "points to itself"],
    ["/dev/zero", "not on a disk"],
    ["/dev/shm", "not on a disk"],
    ["/proc/self/mem", "not on a disk"],
    ...(hasFifo ? [[at("fifo"), "is a named pipe"] as const] : []),
  ])("%s: %s", (path, message) => {
    expect(() => readImageFile(path, 100)).toThrow(message);
  });

  test.each([
    [100_000_000, true],
    [100_000_001, false],
  ])("a file of %i bytes is read: %p", (size, isRead) => {
    writeFileSync(at("sparse"), "");
    truncateSync(at("sparse"), size);
    const read = (): unknown => readImageFile(at("sparse"), 10);
    if (isRead) expect(read).not.toThrow();
    else expect(read).toThrow("the limit is 100 MB");
  });
});

describe("resolveImagePath()", () => {
  test.each([
    ["/a/b.png", "/a/b.png"],
    ["b.png", "/work/b.png"],
    ["../b.png", "/b.png"],
    ["file:///a/b%20c.png", "/a/b c.png"],
  ])("%s is %s", (text, path) => {
    expect(resolveImagePath(text, "/work")).toBe(path);
  });

  test.each([
    ["", "is empty"],
    ["  ", "is empty"],
    ["/a\0.png", "NUL"],
    [`/${"a".repeat(5_000)}`, "the limit is 4096"],
    ["file:///a%00b", "NUL"],
    ["file://host/a", "not a URL of a local file"],
    ["https://example.com/a.png", "ReadImage reads files"],
    ["data:image/png;base64,AAAA", "ReadImage reads files"],
  ])("%j is refused: %s", (text, message) => {
    expect(() => resolveImagePath(text, "/work")).toThrow(message);
  });
});
