import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";

import {
  type CommandExit,
  startCommand,
  startWaitingCommand,
} from "../../../src/commands/process/command.ts";
import { isProcessAlive } from "../../../src/commands/process/processes.ts";
import { plainEnv, runToEnd } from "./collect-output.ts";
import { until } from "./until.ts";

/** Prints the descriptors of its shell, without opening one for the look. */
const openOnes = "for n in $(seq 0 99); do [ -e /proc/$$/fd/$n ] && printf $n; done; true";
const exited = (exitCode: number): CommandExit => ({ exitCode, signal: null });
const openDescriptors = (): number => readdirSync("/proc/self/fd").length;

describe("startCommand()", () => {
  const rows: [string, string, string, CommandExit][] = [
    ["no output", "true", "", exited(0)],
    ["exit code", "exit 7", "", exited(7)],
    ["signal", "kill -9 $$", "", { exitCode: null, signal: "SIGKILL" }],
    [
      "stdout and stderr in their order",
      "echo a; echo b >&2; echo c; echo d >&2",
      "a\nb\nc\nd\n",
      exited(0),
    ],
    [
      "the same order when it takes longer than a look",
      "for i in 1 2 3; do echo o$i; echo e$i >&2; sleep 0.01; done",
      "o1\ne1\no2\ne2\no3\ne3\n",
      exited(0),
    ],
    ["stdout that the command closes", "echo a; exec >&- 2>&-; sleep 0.02", "a\n", exited(0)],
    ["stdin is the null device", "readlink /proc/self/fd/0; cat", "/dev/null\n", exited(0)],
    ["output to /dev/stdout", "echo x > /dev/stdout", "x\n", exited(0)],
    ["U-fd: descriptors are 0, 1 and 2", openOnes, "012", exited(0)],
    [
      "it leads a session and a group",
      "set -- $(cat /proc/$$/stat); [ $5 = $$ ] && [ $6 = $$ ] && echo yes",
      "yes\n",
      exited(0),
    ],
    ["a last line without its end", "printf abc", "abc", exited(0)],
  ];
  test.each(rows)("%s", async (_name, script, output, exit) => {
    const run = await runToEnd(script);
    expect({ output: run.output, exit: run.exit }).toEqual({ output, exit });
  });

  test("10 MB arrive to the byte", async () => {
    const { bytes } = await runToEnd("head -c 10000000 /dev/zero; printf 123");
    expect(bytes).toBe(10_000_003);
  });

  test("a sink that takes its time gets every byte and holds the command back", async () => {
    let bytes = 0;
    const command = startCommand({
      argv: [
        "/bin/sh",
        "-c",
        "printf a; sleep 0.02; head -c 200000 /dev/zero; sleep 0.02; printf z",
      ],
      cwd: "/",
      env: plainEnv,
      onOutput: async (chunk) => {
        await Bun.sleep(30);
        bytes += chunk.length;
      },
    });
    await command.ended;
    expect(bytes).toBe(200_002);
  });

  test.each([
    ["sleep 30 & echo done $!", "done"],
    ["sleep 0.02; sleep 30 & echo done $!", "done"],
  ])("a survivor that holds the pipe does not hold the end up: %s", async (script, said) => {
    const { output } = await runToEnd(script);
    const [word, pid] = output.trim().split(" ");
    // It throws if the survivor has ended.
    process.kill(Number(pid), "SIGKILL");
    expect(word).toBe(said);
  });

  test.each([
    [
      "folder",
      { argv: ["/bin/true"], cwd: "/nowhere/at/all" },
      "The command could not be started: the folder /nowhere/at/all does not exist. Create it, or pass another with --cwd.",
    ],
    [
      "program",
      { argv: ["/nowhere/prog"], cwd: "/" },
      "The command could not be started: the shell /nowhere/prog does not exist. Set SHELL_PATH to an existing shell.",
    ],
  ])("a missing %s is named with its remedy", (_name, { argv, cwd }, message) => {
    const before = openDescriptors();
    const start = (): unknown => startCommand({ argv, cwd, env: plainEnv, onOutput: () => {} });
    expect(start).toThrow(message);
    expect(openDescriptors()).toBeLessThanOrEqual(before);
  });

  test("no descriptor stays open after many commands", async () => {
    await runToEnd("true");
    const before = openDescriptors();
    for (let round = 0; round < 20; round++) await runToEnd("echo x; sleep 0.005");
    // Those that the runtime made are closed a moment later.
    await until(() => openDescriptors() <= before);
  });
});

describe("startWaitingCommand()", () => {
  const waiting = (onOutput: (chunk: Uint8Array) => void = () => {}) =>
    startWaitingCommand({
      argv: ["/bin/bash", "-c", 'IFS= read -r -d "" REPLY <&3; exec 3<&-; eval "$REPLY"'],
      cwd: "/",
      env: plainEnv,
      onOutput,
    });

  test("runs what it is told, with descriptors 0, 1 and 2 only", async () => {
    let output = "";
    const command = waiting((chunk) => (output += Buffer.from(chunk).toString()));
    expect(command?.release(`${openOnes}\0`)).toBe(true);
    expect(await command?.ended).toEqual({ exitCode: 0, signal: null });
    expect(output).toBe("012");
  });

  test("ends without running anything when it is dismissed", async () => {
    const command = waiting();
    command?.dismiss();
    await command?.ended;
    expect(isProcessAlive(command?.pid ?? 1)).toBe(false);
  });

  test("release() is false when it is gone", async () => {
    const command = waiting();
    process.kill(command?.pid ?? 0, "SIGKILL");
    await until(() => !isProcessAlive(command?.pid ?? 1));
    expect(command?.release("echo x\0")).toBe(false);
  });
});
