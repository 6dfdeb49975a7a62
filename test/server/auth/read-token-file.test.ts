import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readTokenFile } from "../../../src/server/auth/token-file.ts";
import { AppError } from "../../../src/base/errors.ts";

const folder = mkdtempSync(join(tmpdir(), "token-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

const isPosix = process.platform !== "win32";
const a = "a".repeat(16);
let files = 0;

function write(text: string, mode = 0o600): string {
  const path = join(folder, `tokens-${++files}`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

/** How many tokens are in the file, and what is wrong with it. */
function read(path: string): [number, AppError | undefined] {
  const { tokens, fault } = readTokenFile(path);
  return [tokens.length, fault];
}

describe("readTokenFile()", () => {
  test.skipIf(!isPosix).each([0o600, 0o400, 0o700])("mode %o is private", (mode) => {
    expect(read(write(a, mode))).toEqual([1, undefined]);
  });

  test.skipIf(!isPosix).each([0o640, 0o604, 0o660, 0o602, 0o610, 0o644])(
    "mode %o is a fault, with the remedy",
    (mode) => {
      const path = write(a, mode);
      const message = `The token file ${path} is open to other users (mode ${mode.toString(8)}): run "chmod 600 ${path}".`;
      expect(read(path)).toEqual([1, new AppError("config", message)]);
    },
  );

  test("a file that is not there", () => {
    const path = join(folder, "none");
    const message = `The token file ${path} cannot be read (ENOENT): check the path and the permissions.`;
    expect(() => readTokenFile(path)).toThrow(new AppError("system", message));
  });

  test.skipIf(!isPosix)("a folder", () => {
    const message = `The token file ${folder} is not a regular file: name one.`;
    expect(read(folder)).toEqual([0, new AppError("config", message)]);
  });

  test.skipIf(!isPosix)("a FIFO that nobody writes to is seen at once", () => {
    const path = join(folder, "fifo");
    Bun.spawnSync(["mkfifo", "-m", "600", path]);
    const message = `The token file ${path} is not a regular file: name one.`;
    expect(read(path)).toEqual([0, new AppError("config", message)]);
  });

  test.each([262_143, 262_144, 262_145])("a file of %d bytes: 262144 is the most", (size) => {
    const path = write(`${a}\n`.padEnd(size, "#"));
    if (size <= 262_144) return expect(read(path)).toEqual([1, undefined]);
    const message = `The token file ${path} is larger than 262144 bytes: it should hold a token a line.`;
    expect(read(path)).toEqual([0, new AppError("config", message)]);
  });
});
