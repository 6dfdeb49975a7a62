import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AppError } from "../../src/base/errors.ts";
import { replaceProgram, rollBack } from "../../src/update/replace-program.ts";
import { programText } from "./program-text.ts";

let folder = "";
let program = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "scorpiox-update-"));
  program = join(folder, "scorpiox-code");
  writeFileSync(program, programText("1.0.0"), { mode: 0o700 });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What a program at this path says. @throws when it cannot be started */
async function ask(path: string): Promise<string> {
  const { exitCode, stdout, stderr } = Bun.spawnSync([path, "version"]);
  if (exitCode !== 0) throw new Error(stderr.toString().trim());
  return stdout.toString().trim().split(" ")[1] ?? "";
}

const bytes = (version: string): Uint8Array => new TextEncoder().encode(programText(version));

const files = (): readonly string[] => readdirSync(folder).sort();

describe("replaceProgram", () => {
  test("puts the new program in place, keeps the old one, and leaves nothing else", async () => {
    await replaceProgram(program, bytes("2.0.0"), "2.0.0", ask);
    expect([await ask(program), await ask(`${program}.previous`), files()]).toEqual([
      "2.0.0",
      "1.0.0",
      ["scorpiox-code", "scorpiox-code.previous"],
    ]);
  });

  test("the new program keeps the mode: others of the machine may run it", async () => {
    chmodSync(program, 0o755);
    await replaceProgram(program, bytes("2.0.0"), "2.0.0", ask);
    expect(statSync(program).mode & 0o777).toBe(0o755);
    await rollBack(program, ask);
    expect(statSync(program).mode & 0o777).toBe(0o755);
  });

  test("nothing is changed where the one from before cannot be kept", async () => {
    mkdirSync(`${program}.previous`);
    expect(replaceProgram(program, bytes("2.0.0"), "2.0.0", ask)).rejects.toThrow(
      /cannot be replaced: .* Nothing was changed\./,
    );
    expect([await ask(program), files()]).toEqual([
      "1.0.0",
      ["scorpiox-code", "scorpiox-code.previous"],
    ]);
    expect(rollBack(program, ask)).rejects.toBeInstanceOf(AppError);
  });

  test("a second update forgets the version before the last", async () => {
    await replaceProgram(program, bytes("2.0.0"), "2.0.0", ask);
    await replaceProgram(program, bytes("3.0.0"), "3.0.0", ask);
    expect([await ask(program), await ask(`${program}.previous`)]).toEqual(["3.0.0", "2.0.0"]);
  });

  test("a process that runs the old program goes on", async () => {
    writeFileSync(program, "#!/bin/sh\necho up\nread line\necho old $line\n", { mode: 0o700 });
    const running = Bun.spawn([program], { stdin: "pipe", stdout: "pipe" });
    const said = running.stdout.values();
    const next = async (): Promise<string> => new TextDecoder().decode((await said.next()).value);
    // By then its shell has opened the file.
    expect(await next()).toBe("up\n");
    await replaceProgram(program, bytes("2.0.0"), "2.0.0", ask);
    await running.stdin.write("yes\n");
    await running.stdin.end();
    expect(await next()).toBe("old yes\n");
  });

  test.each([
    ["another version", "2.0.1", programText("2.0.0"), /says that it is 2\.0\.0, not 2\.0\.1/],
    ["a program of another platform", "2.0.0", "\u007fELF\u0000\u0000", /does not start here/],
    [
      "a program that fails",
      "2.0.0",
      "#!/bin/sh\necho no >&2\nexit 3\n",
      /does not start here \(no\)/,
    ],
  ])("%s is refused, and nothing changes", async (_name, version, text, message) => {
    const replacing = replaceProgram(program, new TextEncoder().encode(text), version, ask);
    expect(replacing).rejects.toThrow(message);
    expect([readFileSync(program, "utf8"), files()]).toEqual([
      programText("1.0.0"),
      ["scorpiox-code"],
    ]);
  });
});

describe("rollBack", () => {
  test("exchanges both versions, each time", async () => {
    await replaceProgram(program, bytes("2.0.0"), "2.0.0", ask);
    expect(await rollBack(program, ask)).toBe("1.0.0");
    expect([await ask(program), await ask(`${program}.previous`)]).toEqual(["1.0.0", "2.0.0"]);
    expect(await rollBack(program, ask)).toBe("2.0.0");
    expect(files()).toEqual(["scorpiox-code", "scorpiox-code.previous"]);
  });

  test("without an earlier version it says so", async () => {
    expect(rollBack(program, ask)).rejects.toThrow(
      /\.previous does not exist: there is no earlier version/,
    );
  });

  test("an earlier version that does not start stays where it is", async () => {
    writeFileSync(`${program}.previous`, "#!/bin/sh\nexit 1\n", { mode: 0o700 });
    expect(rollBack(program, ask)).rejects.toThrow(/\.previous does not start/);
    expect([await ask(program), files()]).toEqual([
      "1.0.0",
      ["scorpiox-code", "scorpiox-code.previous"],
    ]);
  });
});

describe("[IN12] kill -9 before any change of a file leaves a program that starts, and the next update works", () => {
  const places = Array.from({ length: 10 }, (_, index) => index + 1);

  async function killed(place: number, how: "replace" | "rollback"): Promise<string> {
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "fixtures/killed.ts"), program, String(place), how],
      { stdout: "pipe", stderr: "ignore" },
    );
    const said = await child.stdout.text();
    await child.exited;
    return String(child.signalCode ?? said.trim());
  }

  test.each(places)("replacing, place %i", async (place) => {
    const end = await killed(place, "replace");
    expect(["SIGKILL", "done"]).toContain(end);
    const version = await ask(program);
    expect(end === "done" ? ["2.0.0"] : ["1.0.0", "2.0.0"]).toContain(version);
    // The one from before is not lost, whichever name it had when the process was killed.
    if (version === "2.0.0") expect(await rollBack(program, ask)).toBe("1.0.0");
    await replaceProgram(program, bytes("3.0.0"), "3.0.0", ask);
    expect([await ask(program), files()]).toEqual([
      "3.0.0",
      ["scorpiox-code", "scorpiox-code.previous"],
    ]);
  });

  test.each(places)("rolling back, place %i", async (place) => {
    await replaceProgram(program, bytes("2.0.0"), "2.0.0", ask);
    const end = await killed(place, "rollback");
    expect(["SIGKILL", "done"]).toContain(end);
    const version = await ask(program);
    expect(["1.0.0", "2.0.0"]).toContain(version);
    expect(await rollBack(program, ask)).toBe(version === "1.0.0" ? "2.0.0" : "1.0.0");
    await replaceProgram(program, bytes("3.0.0"), "3.0.0", ask);
    expect([await ask(program), files()]).toEqual([
      "3.0.0",
      ["scorpiox-code", "scorpiox-code.previous"],
    ]);
  });

  test("the fixture is killed at all, and not always", async () => {
    expect([await killed(1, "replace"), await killed(99, "replace")]).toEqual(["SIGKILL", "done"]);
  });
});
