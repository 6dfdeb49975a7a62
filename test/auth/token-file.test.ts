import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { StaticTokens } from "../../src/auth/static-tokens.ts";
import { readTokenFile, TokenFile } from "../../src/auth/token-file.ts";
import { AppError } from "../../src/base/errors.ts";
import { TestClock } from "./test-clock.ts";

const folder = mkdtempSync(join(tmpdir(), "token-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

const isPosix = process.platform !== "win32";
const a = "a".repeat(16);
const b = "b".repeat(16);
let files = 0;
/** Of each writing another, so that it never depends on the resolution of the file system's clock. */
let seconds = 1_000_000;

function write(text: string, mode = 0o600, path = join(folder, `tokens-${++files}`)): string {
  writeFileSync(path, text);
  chmodSync(path, mode);
  utimesSync(path, ++seconds, seconds);
  return path;
}

/** A watched file and whom `a` and `b` stand for now. */
function watch(text: string) {
  const clock = new TestClock();
  const warnings: string[] = [];
  const file = new TokenFile(write(text), (message) => warnings.push(message), clock);
  const tokens = new StaticTokens(file);
  const look = (afterMs: number): unknown[] => {
    clock.advance(afterMs);
    return [tokens.find(a)?.id, tokens.find(b)?.id];
  };
  return { file, warnings, look };
}

describe("readTokenFile()", () => {
  test.skipIf(!isPosix).each([0o600, 0o400, 0o700])("mode %o is private", (mode) => {
    expect(readTokenFile(write(a, mode)).length).toBe(1);
  });

  test.skipIf(!isPosix).each([0o640, 0o604, 0o660, 0o602, 0o610, 0o644])(
    "mode %o is refused with the remedy",
    (mode) => {
      const path = write(a, mode);
      const message = `The token file ${path} is open to other users (mode ${mode.toString(8)}): run "chmod 600 ${path}".`;
      expect(() => readTokenFile(path)).toThrow(new AppError("config", message));
    },
  );

  test("a file that is not there", () => {
    const path = join(folder, "none");
    const message = `The token file ${path} cannot be read (ENOENT): check the path and the permissions.`;
    expect(() => readTokenFile(path)).toThrow(new AppError("system", message));
  });

  test.skipIf(!isPosix)("a folder", () => {
    const message = `The token file ${folder} is not a regular file: name one.`;
    expect(() => readTokenFile(folder)).toThrow(new AppError("config", message));
  });

  test.skipIf(!isPosix)("a FIFO that nobody writes to is refused at once", () => {
    const path = join(folder, "fifo");
    Bun.spawnSync(["mkfifo", "-m", "600", path]);
    const message = `The token file ${path} is not a regular file: name one.`;
    expect(() => readTokenFile(path)).toThrow(new AppError("config", message));
  });

  test.each([262_143, 262_144, 262_145])("a file of %d bytes: 262144 is the most", (size) => {
    const path = write(`${a}\n`.padEnd(size, "#"));
    if (size <= 262_144) return expect(readTokenFile(path).length).toBe(1);
    const message = `The token file ${path} is larger than 262144 bytes: it should hold a token a line.`;
    expect(() => readTokenFile(path)).toThrow(new AppError("config", message));
  });
});

describe("TokenFile", () => {
  test("a change counts a second after the last look, not before", () => {
    const { file, warnings, look } = watch(`x ${a}`);
    expect(look(0)).toEqual(["token:x", undefined]);
    write(`x ${b}`, 0o600, file.path);
    expect(look(999)).toEqual(["token:x", undefined]);
    expect(look(1)).toEqual([undefined, "token:x"]);
    expect(warnings).toEqual([]);
  });

  test("without a change the list is the same array", () => {
    const { file, look } = watch(a);
    const before = file.current();
    look(5000);
    expect(file.current()).toBe(before);
  });

  test("what is written badly is reported once, and the tokens read before stay", () => {
    const { file, warnings, look } = watch(a);
    write("short", 0o600, file.path);
    expect(look(1000)).toEqual(["token:default", undefined]);
    expect(look(1000)).toEqual(["token:default", undefined]);
    expect(warnings).toEqual([
      `Line 1 of the token file ${file.path} has a token of fewer than 16 characters: ` +
        'make one with "openssl rand -hex 32". Until then the tokens read before stay valid.',
    ]);
    write(b, 0o600, file.path);
    expect(look(1000)).toEqual([undefined, "token:default"]);
    expect(warnings.length).toBe(1);
  });

  test("a file that is gone is reported once, and counts again when it is back", () => {
    const { file, warnings, look } = watch(a);
    rmSync(file.path);
    expect(look(1000)).toEqual(["token:default", undefined]);
    expect(look(1000)).toEqual(["token:default", undefined]);
    expect(warnings).toEqual([
      `The token file ${file.path} cannot be read (ENOENT): check the path and the permissions.` +
        " Until then the tokens read before stay valid.",
    ]);
    write(b, 0o600, file.path);
    expect(look(1000)).toEqual([undefined, "token:default"]);
  });

  test.skipIf(!isPosix)("a file that is opened to others while we run is reported", () => {
    const { file, warnings, look } = watch(a);
    chmodSync(file.path, 0o644);
    expect(look(1000)).toEqual(["token:default", undefined]);
    expect(warnings).toEqual([
      `The token file ${file.path} is open to other users (mode 644): run "chmod 600 ${file.path}".` +
        " Until then the tokens read before stay valid.",
    ]);
  });
});
