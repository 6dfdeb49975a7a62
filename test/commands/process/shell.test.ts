import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { findShell, type Shell } from "../../../src/commands/process/shell.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-shell-"));
afterAll(() => rmSync(folder, { recursive: true }));

const exe = (path: string): string => {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, "");
  return full;
};
const powerShellArgs = ["-NoProfile", "-NonInteractive", "-Command"];
const git = `${folder}/programs`;
const gitBash = exe("programs\\Git\\bin\\bash.exe");
const pwsh = exe("seven/pwsh.exe");
const powershell = exe("five/powershell.exe");

describe("findShell()", () => {
  const rows: [string, NodeJS.Platform, string | undefined, Record<string, string>, Shell][] = [
    [
      "bash where it is",
      "linux",
      undefined,
      { PATH: "/x" },
      { path: "/bin/bash", args: ["-c"], prefix: "" },
    ],
    ["SHELL_PATH", "linux", "/opt/zsh", {}, { path: "/opt/zsh", args: ["-c"], prefix: "" }],
    [
      "the Bash of Git first",
      "win32",
      undefined,
      { ProgramFiles: git, PATH: `${folder}/seven` },
      { path: gitBash, args: ["-c"], prefix: "exec 2>&1; " },
    ],
    [
      "pwsh without Git",
      "win32",
      undefined,
      { Path: `${folder}/five;${folder}/seven` },
      { path: pwsh, args: powerShellArgs, prefix: "" },
    ],
    [
      "powershell without both",
      "win32",
      undefined,
      { Path: `${folder}/five` },
      { path: powershell, args: powerShellArgs, prefix: "" },
    ],
    [
      "SHELL_PATH to a PowerShell",
      "win32",
      "C:\\Program Files\\PowerShell\\7\\PWSH.exe",
      { ProgramFiles: git },
      { path: "C:\\Program Files\\PowerShell\\7\\PWSH.exe", args: powerShellArgs, prefix: "" },
    ],
  ];
  test.each(rows)("%s", (_name, platform, shellPath, env, shell) => {
    expect(findShell({ shellPath, env, platform })).toEqual(shell);
  });

  test("nothing in the current folder is taken for a shell when LOCALAPPDATA is not set", () => {
    const before = process.cwd();
    exe("undefined\\Programs\\Git\\bin\\bash.exe");
    process.chdir(folder);
    try {
      const { path } = findShell({ shellPath: undefined, env: {}, platform: "win32" });
      expect(path).not.toContain("undefined");
    } finally {
      process.chdir(before);
    }
  });
});
