import { afterAll, expect, test } from "bun:test";

import { TempFolder } from "../../e2e/harness/temp-folder.ts";
import { type Comet, isHeld, makeComet } from "../../fixtures/processes/comet.ts";
import { huntMarked } from "../../../src/commands/process/hunt-marked.ts";
import { loadLimitMarks } from "../../../src/commands/process/command-limits.ts";
import {
  isProcessAlive,
  ownerMark,
  ownerVariable,
} from "../../../src/commands/process/processes.ts";
import { spawnLeader } from "../../../src/commands/process/command.ts";
import { until } from "./until.ts";

const linuxTest = test.skipIf(process.platform !== "linux");

const folder = new TempFolder();
/** Compiled once: that takes as long as a hunt. */
let comet: Comet | undefined;
afterAll(() => folder[Symbol.dispose]());

linuxTest.each([0, 300, 2_000])(
  "a process that is another one every %p µs is caught",
  async (pace) => {
    const made = (comet ??= makeComet(folder.path));
    const file = folder.write(`lock-${pace}`, "");
    const instance = `hunt${process.pid}x${pace}`;
    const [stray, foreign] = [instance, `${instance}2`].map((id) =>
      start(ownerMark(id, 1), id === instance ? made.command(file, 60, pace) : "exec sleep 60"),
    );
    await until(() => isHeld(file));
    huntMarked(String(loadLimitMarks()?.prefixOf(instance)));
    await until(() => !isHeld(file));
    expect(isProcessAlive(foreign!.pid)).toBe(true);
    foreign!.kill("SIGKILL");
    await Promise.all([stray!.exited, foreign!.exited]);
  },
);

linuxTest.each(["", "x", "12"])("nothing is killed for %p", async (digits) => {
  const foreign = start(ownerMark(`hunt${process.pid}`, 1), "exec sleep 60");
  huntMarked(digits);
  expect(isProcessAlive(foreign.pid)).toBe(true);
  foreign.kill("SIGKILL");
  await foreign.exited;
});

function start(mark: string, command: string): Bun.Subprocess {
  const argv = ["/usr/bin/env", "-i", "/bin/sh", "-c", command];
  const env = { PATH: "/usr/bin:/bin", [ownerVariable]: mark };
  return spawnLeader({ argv, cwd: "/", env }, ["ignore", "ignore", "ignore"], () => {});
}
