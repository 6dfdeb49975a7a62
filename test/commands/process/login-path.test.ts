import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readLoginPath, type RunProgram } from "../../../src/commands/process/shell.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-login-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program as the owner of children would, with a short patience. */
function runner(argvs: string[][]): RunProgram {
  return async (argv) => {
    argvs.push(argv.slice(1, -1));
    const child = Bun.spawn([...argv], {
      env: { PATH: "/start:/usr/bin:/bin" },
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 300,
      killSignal: "SIGKILL",
    });
    const output = await child.stdout.text();
    return { output, exit: { exitCode: await child.exited, signal: null } };
  };
}

/** A shell that runs `body`; its last argument is the script that it was given. */
function fakeShell(name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\nfor script; do :; done\n${body}\n`, { mode: 0o755 });
  return path;
}

const both = [
  ["-l", "-i", "-c"],
  ["-l", "-c"],
];

describe("readLoginPath()", () => {
  const rows: [string, string, string, string | undefined, string[][]][] = [
    [
      "a plain shell",
      "one",
      'PATH=/login:/bin sh -c "$script"',
      "/login:/bin",
      [["-l", "-i", "-c"]],
    ],
    [
      "one that prints greetings before and after",
      "greeting",
      'echo Welcome; echo PATH=/wrong; PATH=/right:/bin sh -c "$script"; echo PATH=/late; echo Bye',
      "/right:/bin",
      [["-l", "-i", "-c"]],
    ],
    [
      "one that prints the script itself (set -v)",
      "verbose",
      'echo "$script"; PATH=/right:/bin sh -c "$script"',
      "/right:/bin",
      [["-l", "-i", "-c"]],
    ],
    [
      "one that hangs when it is interactive",
      "hanging",
      'case $2 in -i) exec sleep 30 ;; esac; PATH=/plain:/bin sh -c "$script"',
      "/plain:/bin",
      both,
    ],
    ["one that hangs always", "stuck", "exec sleep 30", undefined, both],
    ["one that fails", "failing", "exit 3", undefined, both],
    [
      "one with a list for a PATH, as fish has",
      "fish",
      'set -- /fish /bin; PATH=$1:$2; export PATH; sh -c "$script"',
      "/fish:/bin",
      [["-l", "-i", "-c"]],
    ],
    ["one that empties PATH", "empty", 'PATH= /bin/sh -c "$script"', undefined, both],
    [
      "dash, which has no interactive login",
      "dash",
      'PATH=/d:/bin sh -c "$script"',
      "/d:/bin",
      [["-l", "-c"]],
    ],
    [
      "tcsh, which takes -l alone only",
      "tcsh",
      'PATH=/t:/bin sh -c "$script"',
      "/t:/bin",
      [["-c"]],
    ],
    ["false, for users without a shell", "false", "exit 1", undefined, [["-c"]]],
  ];
  test.each(rows)("%s", async (_name, name, body, expected, flags) => {
    const argvs: string[][] = [];
    expect(await readLoginPath(fakeShell(name, body), runner(argvs))).toBe(expected as string);
    expect(argvs).toEqual(flags);
  });
});
