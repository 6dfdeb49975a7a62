import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import {
  type LookAt,
  lookAtProcesses,
  lookInList,
  originOf,
  type ProcessLook,
} from "../../../src/commands/process/process-origin.ts";
import { ownerVariable } from "../../../src/commands/process/processes.ts";
import { posixTest } from "../../e2e/harness/platform.ts";

const source = join(import.meta.dir, "../../../src/commands/process/process-origin.ts");
const plain = { name: "sh", hasTerminal: true, isMarked: false, isProduct: false };
const processes = (looks: Readonly<Record<number, Partial<ProcessLook>>>): LookAt => {
  return (pid) => {
    const look = looks[pid];
    return look === undefined ? undefined : { parentPid: 0, ...plain, ...look };
  };
};

describe("originOf()", () => {
  test.each<[what: string, lookAt: LookAt, origin: unknown]>([
    [
      "a shell below init is a person's",
      processes({ 9: { parentPid: 5 }, 5: { parentPid: 1 }, 1: {} }),
      { kind: "person" },
    ],
    [
      "what is above may be hidden",
      processes({ 9: { parentPid: 5 }, 5: { parentPid: 3 } }),
      { kind: "person" },
    ],
    ["its own mark", processes({ 9: { isMarked: true } }), { kind: "mark", pid: 9 }],
    [
      "the mark of one above it",
      processes({ 9: { parentPid: 5 }, 5: { parentPid: 1, isMarked: true }, 1: {} }),
      { kind: "mark", pid: 5 },
    ],
    [
      "a server above it",
      processes({ 9: { parentPid: 5 }, 5: { parentPid: 3 }, 3: { isProduct: true } }),
      { kind: "server", pid: 3 },
    ],
    [
      "it is a process of the program itself, as attach is",
      processes({ 9: { isProduct: true, parentPid: 1 }, 1: {} }),
      { kind: "person" },
    ],
    [
      "one above it cannot be read",
      processes({ 9: { parentPid: 5 }, 5: { parentPid: 1, isPartial: true }, 1: {} }),
      { kind: "unknown" },
    ],
    ["gone", processes({}), { kind: "unknown" }],
    ["without end", () => ({ parentPid: 9, ...plain }), { kind: "unknown" }],
  ])("%s", (_, lookAt, origin) => {
    expect(originOf(9, lookAt)).toEqual(origin as never);
  });

  test("an ancestor that ends meanwhile: whoever took its place is looked at", () => {
    let looks = 0;
    const lookAt: LookAt = (pid) => {
      if (pid === 9) return { parentPid: ++looks === 1 ? 5 : 3, ...plain };
      return pid === 3 ? { parentPid: 1, ...plain, isProduct: true } : undefined;
    };
    expect(originOf(9, lookAt)).toEqual({ kind: "server", pid: 3 });
  });

  test("ancestors that end again and again are not waited for", () => {
    let parentPid = 1000;
    const lookAt: LookAt = (pid) => (pid === 9 ? { parentPid: ++parentPid, ...plain } : undefined);
    expect(originOf(9, lookAt)).toEqual({ kind: "unknown" });
  });
});

describe("lookAtProcesses()", () => {
  posixTest("an orphan's mark, and that of one above it, are seen", async () => {
    // The one without the mark says it, so that it has lost the mark by then.
    const unmarked = 'exec env -u SCORPIOX_OWNER /bin/sh -c "echo $!; exec sleep 30"';
    const script = `sleep 30 & ${unmarked}`;
    const child = Bun.spawn(["/bin/sh", "-c", `/bin/sh -c '${script}'; :`], {
      env: { PATH: process.env["PATH"], [ownerVariable]: "test.1" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const reader = child.stdout.getReader();
      const { value } = await reader.read();
      const pid = Number(new TextDecoder().decode(value));
      const lookAt = await lookAtProcesses();
      expect(originOf(pid, lookAt!)).toEqual({ kind: "mark", pid });
      expect(lookAt?.(process.pid)?.isProduct).toBe(process.platform === "linux");
      process.kill(pid, "SIGKILL");
    } finally {
      child.kill("SIGKILL");
    }
  });

  test.skipIf(process.platform !== "linux")(
    "a process that cannot be read for lack of descriptors is not taken for one that is not there",
    () => {
      // A program of its own: its descriptors are used up.
      const script = `
      const { lookAtProcesses, originOf } = await import(${JSON.stringify(source)});
      const { openSync, closeSync } = require("node:fs");
      const lookAt = await lookAtProcesses();
      const before = originOf(process.pid, lookAt).kind;
      const held = [];
      try { for (;;) held.push(openSync("/dev/null")); } catch {}
      const without = originOf(process.pid, lookAt).kind;
      closeSync(held.pop());
      console.log(before, without, originOf(process.pid, lookAt).kind);`;
      const argv = [
        "/bin/sh",
        "-c",
        'ulimit -n 64; exec "$@"',
        "sh",
        process.execPath,
        "-e",
        script,
      ];
      const { stdout, stderr } = Bun.spawnSync(argv, {
        env: { PATH: process.env["PATH"], [ownerVariable]: "test.1" },
      });
      expect([stdout.toString(), stderr.toString()]).toEqual(["mark unknown mark\n", ""]);
    },
  );

  test("lookInList() reads what ps says", () => {
    const lookAt = lookInList(
      [
        "    1     0 ??       /sbin/launchd",
        "  501     1 ttys000  -zsh TERM=xterm HOME=/Users/ada",
        "  777   501 ttys000  /opt/bin/scorpiox-code-1.2 serve HOME=/Users/ada",
        "  778   777 ??       /bin/bash -c sleep 1 SCORPIOX_OWNER=abc.1 HOME=/Users/ada",
        "",
      ].join("\n"),
    );
    expect([1, 501, 777, 778, 9].map((pid) => lookAt(pid))).toEqual([
      { parentPid: 0, name: "launchd", hasTerminal: false, isMarked: false, isProduct: false },
      { parentPid: 1, name: "-zsh", hasTerminal: true, isMarked: false, isProduct: false },
      {
        parentPid: 501,
        name: "scorpiox-code-1.2",
        hasTerminal: true,
        isMarked: false,
        isProduct: true,
      },
      { parentPid: 777, name: "bash", hasTerminal: false, isMarked: true, isProduct: false },
      undefined,
    ]);
  });
});
