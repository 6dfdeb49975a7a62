import { describe, expect, test } from "bun:test";

import {
  argvFor,
  type HookPrograms,
  launchOf,
} from "../../../../src/calls/policy/hooks/hook-launch.ts";

const plain = 0o100644;
const runnable = 0o100755;

describe("launchOf()", () => {
  test.each([
    ["a.sh", plain, "linux", "shell"],
    ["a.sh", runnable, "linux", "direct"],
    ["a.py", plain, "darwin", "python"],
    ["a", runnable, "darwin", "direct"],
    ["a.rb", runnable, "linux", "direct"],
    ["a.PY", plain, "linux", "python"],
    ["a.sh", plain, "win32", "shell"],
    ["a.ps1", plain, "win32", "powershell"],
    ["a.bat", plain, "win32", "batch"],
    ["a.CMD", plain, "win32", "batch"],
    ["a.exe", plain, "win32", "direct"],
  ] as const)("%s (%p) on %s is started by %s", (name, mode, platform, launch) => {
    expect(launchOf(name, mode, platform)).toEqual({ launch });
  });

  test.each([
    ["a", plain, "linux", /not executable: chmod/, false],
    ["notes.txt", plain, "darwin", /not executable/, false],
    ["a.ps1", runnable, "linux", /for Windows/, true],
    ["a.bat", plain, "darwin", /for Windows/, true],
    ["a", runnable, "win32", /Windows runs .sh/, true],
  ] as const)("%s (%p) on %s is not started: %p", (name, mode, platform, why, isForOther) => {
    const reason = expect.stringMatching(why);
    expect(launchOf(name, mode, platform)).toEqual({ reason, isForOther });
  });
});

function programs(platform: NodeJS.Platform, there: readonly string[]): HookPrograms {
  const find = (name: string): string | undefined =>
    there.includes(name) ? `/bin/${name}` : undefined;
  return { platform, bash: undefined, find };
}

const script = Buffer.from("#!/usr/bin/env ruby\n");
const text = Buffer.from("echo hello\n");
const program = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0]);

describe("argvFor()", () => {
  test.each([
    ["direct", script, "linux", [], ["/h/a"]],
    ["direct", program, "linux", [], ["/h/a"]],
    ["direct", text, "linux", ["bash"], ["/bin/bash", "/h/a"]],
    ["shell", text, "linux", [], ["/bin/sh", "/h/a"]],
    ["shell", text, "win32", [], undefined],
    ["python", text, "linux", ["python3", "python"], ["/bin/python3", "/h/a"]],
    ["python", text, "linux", ["python"], ["/bin/python", "/h/a"]],
    ["python", text, "linux", [], undefined],
    ["python", text, "win32", ["py", "python"], ["/bin/py", "-3", "/h/a"]],
    ["batch", text, "win32", [], ["cmd.exe", "/d", "/c", "/h/a"]],
    ["powershell", text, "win32", [], undefined],
  ] as const)("%s %p on %s with %p", (launch, head, platform, there, argv) => {
    const start = (): readonly string[] => argvFor(launch, "/h/a", head, programs(platform, there));
    if (argv === undefined) expect(start).toThrow("is not on the PATH");
    else expect(start()).toEqual([...argv]);
  });

  test("a batch file whose path cmd.exe would read as more than a path is refused", () => {
    const start = (): unknown => argvFor("batch", "C:\\a&b\\x.bat", text, programs("win32", []));
    expect(start).toThrow("cmd.exe cannot start");
  });
});
