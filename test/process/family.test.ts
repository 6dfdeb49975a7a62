import { describe, expect, test } from "bun:test";
import { join } from "node:path";

const host = join(import.meta.dir, "fixtures/family-host.ts");

/** Prints the id of the process that runs it, then sleeps without a child. */
const member = "echo $$; exec sleep 300";
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
      `echo $$; (env -i setsid bash -c '${member}' &) ; sleep 0.1; echo ready; sleep 300`,
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
    const script = `echo $$; (${daemon} &) ; sleep 0.1; echo ready; sleep 300`;
    expect(await endFirst(2, graces.heeded, script, script, script)).toEqual({
      ...ended,
      before: 2,
      others: [2, 2],
    });
  });
});
