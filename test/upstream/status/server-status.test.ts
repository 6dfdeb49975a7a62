import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readProcStat } from "../../../src/commands/process/processes.ts";
import { readServerStatuses } from "../../../src/upstream/status/server-status.ts";

test("readServerStatuses() gives those of processes that run, and removes the others", async () => {
  const home = mkdtempSync(join(tmpdir(), "scorpiox-status-"));
  const run = join(home, "run");
  mkdirSync(run);
  const startTicks = readProcStat(process.pid)?.startTicks ?? null;
  const write = (pid: number, rest: object): void =>
    writeFileSync(
      join(run, `mcp-${pid}.json`),
      JSON.stringify({ pid, startTicks: null, servers: [], ...rest }),
    );
  const other = Bun.spawn(["sleep", "30"]);
  const gone = Bun.spawn(["true"]);
  await gone.exited;
  write(process.pid, { startTicks });
  write(gone.pid, {});
  // Another process that has the number of one that has ended.
  write(other.pid, { startTicks: 1 });
  write(1, { pid: 2 });
  writeFileSync(join(run, "ab12.json"), "{}");
  writeFileSync(join(run, "mcp-12.json"), "{");
  expect((await readServerStatuses(home)).map(({ pid }) => pid)).toEqual([process.pid]);
  const left = ["ab12.json", "mcp-1.json", "mcp-12.json", `mcp-${process.pid}.json`];
  const expected = process.platform === "linux" ? left : [...left, `mcp-${other.pid}.json`];
  expect(readdirSync(run).sort()).toEqual(expected.sort());
  expect(await readServerStatuses(join(home, "none"))).toEqual([]);
  other.kill();
  rmSync(home, { recursive: true });
});
