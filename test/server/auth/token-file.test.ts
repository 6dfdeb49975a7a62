import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { StaticTokens } from "../../../src/server/auth/static-tokens.ts";
import { TokenFile } from "../../../src/server/auth/token-file.ts";
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

  test.each<[string, string, (string | undefined)[]]>([
    ["a line that is not in order", `x ${a}\ny ${b}\nshort`, ["token:x", "token:y"]],
    ["the same without a token", `x ${a}\nshort`, ["token:x", undefined]],
    ["its own line is the bad one", `x! ${a}\ny ${b}`, [undefined, "token:y"]],
    ["another label, and a bad line", `z ${a}\nshort`, ["token:z", undefined]],
  ])("%s: what stands in it still counts", (_, text, principals) => {
    const { file, warnings, look } = watch(`x ${a}\ny ${b}`);
    write(text, 0o600, file.path);
    expect(look(1000)).toEqual(principals);
    expect(look(1000)).toEqual(principals);
    expect(warnings).toEqual([
      expect.stringMatching(
        / Until then only tokens are accepted that were read before and are still in it\.$/,
      ),
    ]);
  });

  test("while a line is not in order no token is added, and what was taken away stays away", () => {
    const { file, warnings, look } = watch(`x ${a}`);
    write(`y ${b}\nshort`, 0o600, file.path);
    expect(look(1000)).toEqual([undefined, undefined]);
    write(`x ${a}\nshort`, 0o600, file.path);
    expect(look(1000)).toEqual([undefined, undefined]);
    write(`x ${a}`, 0o600, file.path);
    expect(look(1000)).toEqual(["token:x", undefined]);
    expect(warnings).toEqual([
      `Line 2 of the token file ${file.path} has a token of fewer than 16 characters: ` +
        'make one with "openssl rand -hex 32". Until then none of its tokens is accepted.',
    ]);
  });

  test.each([
    ["empty", ""],
    ["all comments", `# x ${a}\n`],
  ])("a file that is %s has no tokens: said once", (_, text) => {
    const { file, warnings, look } = watch(a);
    write(text, 0o600, file.path);
    expect(look(1000)).toEqual([undefined, undefined]);
    expect(look(1000)).toEqual([undefined, undefined]);
    expect(warnings).toEqual([
      `There is no token in the token file ${file.path}: write one, or "label token", a line.` +
        " Until then none of its tokens is accepted.",
    ]);
    write(b, 0o600, file.path);
    expect(look(1000)).toEqual([undefined, "token:default"]);
    expect(warnings.length).toBe(1);
  });

  test("a file that is gone has no tokens, and counts again when it is back", () => {
    const { file, warnings, look } = watch(a);
    rmSync(file.path);
    expect(look(1000)).toEqual([undefined, undefined]);
    expect(look(1000)).toEqual([undefined, undefined]);
    expect(warnings).toEqual([
      `The token file ${file.path} cannot be read (ENOENT): check the path and the permissions.` +
        " Until then none of its tokens is accepted.",
    ]);
    write(b, 0o600, file.path);
    expect(look(1000)).toEqual([undefined, "token:default"]);
  });

  test("what is a folder now has no tokens", () => {
    const { file, warnings, look } = watch(a);
    rmSync(file.path);
    mkdirSync(file.path, 0o700);
    expect(look(1000)).toEqual([undefined, undefined]);
    expect(warnings.length).toBe(1);
  });

  test.skipIf(!isPosix)("a file that is opened to others adds nothing, but takes away", () => {
    const { file, warnings, look } = watch(`x ${a}`);
    write(`x ${a}\ny ${b}`, 0o644, file.path);
    expect(look(1000)).toEqual(["token:x", undefined]);
    write(`y ${b}`, 0o644, file.path);
    expect(look(1000)).toEqual([undefined, undefined]);
    const what = `The token file ${file.path} is open to other users (mode 644): run "chmod 600 ${file.path}".`;
    expect(warnings).toEqual([
      `${what} Until then only tokens are accepted that were read before and are still in it.`,
      `${what} Until then none of its tokens is accepted.`,
    ]);
    chmodSync(file.path, 0o600);
    expect(look(1000)).toEqual([undefined, "token:y"]);
  });

  test.skipIf(!isPosix)(
    "while it cannot be read the tokens stay, and it is read as soon as it can be",
    () => {
      const { file, warnings, look } = watch(a);
      rmSync(file.path);
      // A link to itself: unlike a mode it keeps out root too.
      symlinkSync(file.path, file.path);
      expect(look(1000)).toEqual(["token:default", undefined]);
      expect(look(1000)).toEqual(["token:default", undefined]);
      expect(warnings).toEqual([
        `The token file ${file.path} cannot be read (ELOOP): check the path and the permissions.` +
          " Until then the tokens read before stay valid.",
      ]);
      rmSync(file.path);
      write(b, 0o600, file.path);
      expect(look(1000)).toEqual([undefined, "token:default"]);
    },
  );
});
