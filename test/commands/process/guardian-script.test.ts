import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

import { guardianScript } from "../../../src/commands/process/guardian.ts";
import { loadLimitMarks } from "../../../src/commands/process/command-limits.ts";
import {
  isProcessAlive,
  ownerMark,
  ownerVariable,
  readProcVariable,
} from "../../../src/commands/process/processes.ts";
import { spawnLeader } from "../../../src/commands/process/command.ts";
import { until } from "./until.ts";
import { atThisLoad } from "../../fixtures/at-this-load.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-guardian-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Bash under the name by which it is `/bin/sh` on many systems. */
const bashAsSh = join(folder, "sh");
symlinkSync("/bin/bash", bashAsSh);

const shells = [["/bin/sh"], [bashAsSh], ["/usr/bin/dash"], ["/usr/bin/busybox", "sh"]].filter(
  ([program = ""]) => existsSync(program),
);

/** Only root becomes somebody with a bound of its own. */
const canLimit =
  process.getuid?.() === 0 &&
  ["/usr/bin/setpriv", "/usr/bin/prlimit"].every((path) => existsSync(path));

let number = 0;

function statusOf(pid: number, field: string): string {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return new RegExp(String.raw`^${field}:\s*(\S+)`, "m").exec(status)?.[1] ?? "";
}

function ignoresTerm(pid: number): boolean {
  const mask = BigInt(`0x${statusOf(pid, "SigIgn")}`);
  return (mask & (1n << BigInt(constants.signals.SIGTERM - 1))) !== 0n;
}

describe.each(shells)("guardian under %s %p", (...shell: (string | undefined)[]) => {
  const words = shell.filter((word) => word !== undefined);

  const startGuardian = (instance: string, digits = "", ...hunter: string[]) =>
    Bun.spawn([...words, "-c", guardianScript, "sh", instance, digits, ...hunter], {
      env: { PATH: "/usr/bin:/bin" },
      stdio: ["pipe", "ignore", "inherit"],
      detached: true,
    });

  /** Sleeps in a group of its own; `mark` is what a command of ours would carry. */
  const startVictim = (mark: string, script = "exec sleep 300") =>
    Bun.spawn(["/bin/sh", "-c", script], {
      env: mark === "" ? {} : { [ownerVariable]: mark },
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
    });

  test("ends live groups and marked processes when the pipe ends, and nothing else", async () => {
    const instance = `guard${process.pid}x${++number}`;
    const trapped = join(folder, `trapped${number}`);
    const group = startVictim("");
    const daemon = startVictim(ownerMark(instance, 1));
    const stubborn = startVictim(
      ownerMark(instance, 2),
      `trap '' TERM; : >${trapped}; while :; do sleep 0.1; done`,
    );
    await until(() => existsSync(trapped));
    const removed = startVictim("");
    const foreign = startVictim(ownerMark(`${instance}2`, 1));
    const guardian = startGuardian(instance);
    for (const line of [`+${removed.pid}`, `+${group.pid}`, `-${removed.pid}`]) {
      void guardian.stdin.write(`${line}\n`);
    }
    await guardian.stdin.end();
    await Promise.all([group.exited, daemon.exited, stubborn.exited, guardian.exited]);
    const alive = [group, daemon, stubborn, removed, foreign].map(({ pid }) => isProcessAlive(pid));
    expect(alive).toEqual([false, false, false, true, true]);
    expect([group.signalCode, daemon.signalCode, stubborn.signalCode]).toEqual([
      "SIGTERM",
      "SIGTERM",
      "SIGKILL",
    ]);
    for (const child of [removed, foreign]) child.kill("SIGKILL");
    await Promise.all([removed.exited, foreign.exited]);
  });

  test.skipIf(process.platform !== "linux")(
    "ends who wiped the environment and left the session, by the second mark",
    async () => {
      const instance = `guard${process.pid}x${++number}`;
      const [daemon, foreign] = [ownerMark(instance, 1), ownerMark(`${instance}2`, 1)].map((mark) =>
        spawnLeader(
          {
            argv: ["/usr/bin/env", "-i", "/bin/sleep", "300"],
            cwd: "/",
            env: { [ownerVariable]: mark },
          },
          ["ignore", "ignore", "ignore"],
          () => {},
        ),
      ) as [Bun.Subprocess, Bun.Subprocess];
      const guardian = startGuardian(instance, `${loadLimitMarks()?.prefixOf(instance)}`);
      await until(() => readProcVariable(daemon.pid, ownerVariable) === undefined);
      await guardian.stdin.end();
      await Promise.all([daemon.exited, guardian.exited]);
      expect([daemon, foreign].map(({ signalCode }) => signalCode)).toEqual(["SIGTERM", null]);
      foreign.kill("SIGKILL");
      await foreign.exited;
    },
  );

  test.each([
    ["once, when it has ended what it found", "12", "exec sleep 300", `__hunt-marked 12\n`],
    ["not when nothing was live", "12", "exit", ""],
    ["not without digits", "", "exec sleep 300", ""],
  ])("has its words hunt %s", async (_when, digits, script, hunted) => {
    const file = join(folder, `hunted${++number}`);
    const victim = startVictim("", script);
    if (script === "exit") await victim.exited;
    const hunter = ["/bin/sh", "-c", `echo "$@" >>${file}`, "hunter"];
    const guardian = startGuardian(`guard${process.pid}x${number}`, digits, ...hunter);
    if (script !== "exit") void guardian.stdin.write(`+${victim.pid}\n`);
    await guardian.stdin.end();
    await Promise.all([victim.exited, guardian.exited]);
    expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(hunted);
  });

  const endsWithoutForks = async (): Promise<void> => {
    const instance = `guard${process.pid}x${++number}`;
    const user = "54321";
    const somebody = ["/usr/bin/setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
    const group = Bun.spawn([...somebody, "/bin/sh", "-c", "trap '' TERM; exec sleep 300"], {
      stdio: ["ignore", "ignore", "ignore"],
      detached: true,
    });
    // Nobody but root may signal it before.
    await until(() => statusOf(group.pid, "Uid") === user && ignoresTerm(group.pid));
    const guardian = Bun.spawn(
      [
        ...somebody,
        "/usr/bin/prlimit",
        "--nproc=0",
        ...words,
        "-c",
        guardianScript,
        "sh",
        instance,
        "",
      ],
      { stdio: ["pipe", "ignore", "ignore"], detached: true },
    );
    void guardian.stdin.write(`+${group.pid}\n`);
    await guardian.stdin.end();
    await Promise.all([group.exited, guardian.exited]);
    expect(group.signalCode).toBe("SIGKILL");
  };
  // Bash goes on asking for 15 s.
  if (words[0] !== bashAsSh) {
    const name = "ends the live groups when the machine starts no more processes";
    test.skipIf(!canLimit)(name, endsWithoutForks);
  }

  test("takes a group off its list wherever it stands, and only that", async () => {
    const groups = [startVictim(""), startVictim(""), startVictim("")];
    const guardian = startGuardian(`guard${process.pid}x${++number}`);
    const [first, middle, last] = groups.map(({ pid }) => pid);
    const lines = [
      `+${first}`,
      `+${middle}`,
      `+${last}`,
      `-${last}`,
      `-${first}`,
      `-${first}`,
      "-1",
    ];
    void guardian.stdin.write(`${lines.join("\n")}\n`);
    await guardian.stdin.end();
    await guardian.exited;
    await groups[1]?.exited;
    expect(groups.map(({ pid }) => isProcessAlive(pid))).toEqual([true, false, true]);
    for (const group of groups) group.kill("SIGKILL");
    await Promise.all(groups.map(({ exited }) => exited));
  });

  test("goes without a word when it is told to", async () => {
    const instance = `guard${process.pid}x${++number}`;
    const victims = [startVictim(""), startVictim(ownerMark(instance, 1))];
    const guardian = startGuardian(instance);
    void guardian.stdin.write(`+${victims[0]?.pid}\n.\n`);
    await guardian.stdin.end();
    expect(await guardian.exited).toBe(0);
    expect(victims.map(({ pid }) => isProcessAlive(pid))).toEqual([true, true]);
    for (const victim of victims) victim.kill("SIGKILL");
    await Promise.all(victims.map(({ exited }) => exited));
  });

  test("survives TERM, HUP and INT to its group", async () => {
    const guardian = startGuardian(`guard${process.pid}x${++number}`);
    await until(() => ignoresTerm(guardian.pid));
    for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"] as const)
      process.kill(-guardian.pid, signal);
    expect(isProcessAlive(guardian.pid)).toBe(true);
    await guardian.stdin.end();
    expect(await guardian.exited).toBe(0);
  });

  test("ends at once when nothing is live", async () => {
    const guardian = startGuardian(`guard${process.pid}x${++number}`);
    const started = performance.now();
    await guardian.stdin.end();
    expect(await guardian.exited).toBe(0);
    expect(performance.now() - started).toBeLessThan(atThisLoad(1_500));
  });
});
