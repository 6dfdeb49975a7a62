import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { TempFolder } from "../../e2e/harness/temp-folder.ts";
import { isHeld, makeComet } from "../../fixtures/processes/comet.ts";
import { until } from "./until.ts";

const host = join(import.meta.dir, "fixtures/family-host.ts");

/** Prints the id of the process that runs it, then sleeps without a child. */
const member = "echo $$; exec sleep 300";
/** Without a mark in its environment, a parent or a session of its command. */
const wiped = `(env -i setsid bash -c '${member}' &)`;

const daemon = `setsid bash -c '${member}'`;

/** Time for who heeds TERM, however busy the processors are, and for who does not. */
const graces = { heeded: 10_000, ignored: 200 };

async function endFirst(members: number, graceMs: number, ...scripts: string[]): Promise<unknown> {
  const numbers = [String(members), String(graceMs)];
  const child = Bun.spawn([process.execPath, host, ...numbers, ...scripts], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(await child.stdout.text());
}

const ended = { gone: true, after: 0, isAlive: false, neededKill: false, others: [] };

describe("endFamily() leaves nothing of", () => {
  const rows: [string, string, number, boolean][] = [
    ["a command", `echo $$; echo ready; exec sleep 300`, 1, false],
    [
      "a command with children",
      `bash -c '${member}' & bash -c '${member}' & sleep 0.1; echo $$; echo ready; wait`,
      3,
      false,
    ],
    ["a daemon of its own session", `echo $$; ${daemon} & sleep 0.1; echo ready; wait`, 2, false],
    [
      "a daemon that forked twice",
      `echo $$; (${daemon} &) ; sleep 0.1; echo ready; sleep 300`,
      2,
      false,
    ],
    [
      "a daemon that wiped its environment",
      `echo $$; ${wiped} ; sleep 0.1; echo ready; sleep 300`,
      2,
      false,
    ],
    [
      "a stopped process",
      `bash -c 'echo $$; kill -STOP $$; sleep 300' & sleep 0.1; echo $$; echo ready; wait`,
      2,
      false,
    ],
    ["a process that ignores TERM", `trap "" TERM; echo $$; echo ready; sleep 300`, 1, true],
    [
      "a daemon that ignores TERM",
      `echo $$; (setsid bash -c 'trap "" TERM; echo $$; sleep 300' &) ; sleep 0.1; echo ready; sleep 300`,
      2,
      true,
    ],
  ];
  test.each(rows)("%s", async (_name, script, before, neededKill) => {
    const graceMs = neededKill ? graces.ignored : graces.heeded;
    expect(await endFirst(before, graceMs, script)).toEqual({ ...ended, before, neededKill });
  });

  test("one family only: another one's processes are not touched", async () => {
    const script = `echo $$; (${daemon} &) ; ${wiped} ; sleep 0.1; echo ready; sleep 300`;
    expect(await endFirst(3, graces.heeded, script, script, script)).toEqual({
      ...ended,
      before: 3,
      others: [3, 3],
    });
  });

  test("a process that forks faster than anybody looks", async () => {
    using folder = new TempFolder();
    const file = folder.at("lock");
    const comet = makeComet(folder.path);
    const script = `trap "" TERM; env -i ${comet.command(file, 30, 0)}; echo $$; echo ready; sleep 300`;
    const said = await endFirst(1, graces.ignored, script);
    expect(said).toEqual({ ...ended, before: 1, neededKill: true });
    // The system may close the files of who was killed a moment later.
    await until(() => !isHeld(file));
  });
});
