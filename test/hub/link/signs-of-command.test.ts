import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";

import { loadLibc } from "../../../src/commands/process/libc.ts";
import type { ProcessLook } from "../../../src/commands/process/process-origin.ts";
import { signOfCommand, withoutServers } from "../../../src/hub/link/signs-of-command.ts";
import { testMsMax } from "../../e2e/harness/platform.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";
import { HubYard } from "./hub-yard.ts";

const linuxTest = test.skipIf(process.platform !== "linux");
const plain: ProcessLook = {
  parentPid: 0,
  name: "bun",
  hasTerminal: false,
  isMarked: false,
  isProduct: false,
};

describe("signOfCommand()", () => {
  test("a hub may be a child of the server that has started it, and of no command", () => {
    const below = (look: Partial<ProcessLook>) =>
      withoutServers((pid) =>
        pid === process.pid
          ? { ...plain, parentPid: 2 }
          : pid === 2
            ? { ...plain, ...look }
            : undefined,
      );
    expect(signOfCommand(process.pid, below({ isProduct: true }))).toBeUndefined();
    expect(signOfCommand(process.pid, below({ isMarked: true }))).toBe(
      "process 2 carries the mark of processes that servers start",
    );
    expect(signOfCommand(process.pid, undefined)).toBe(
      "the system does not list its parent processes",
    );
  });
});

describe("a hub with the limit of a command", () => {
  linuxTest(
    "is told nothing",
    async () => {
      await using yard = new HubYard();
      const { pid } = await yard.reach();
      const low = { soft: 1000n, hard: 1000n };
      expect(loadLibc()?.limit(pid, "locks", low)).toBe(true);
      expect(await yard.reach().catch(String)).toContain(
        "it has the limit of file locks that marks commands of a server",
      );
    },
    testMsMax,
  );

  linuxTest(
    "does not begin",
    async () => {
      await using yard = new HubYard();
      const { command = [], ...start } = yard.start();
      const limited = { ...start, command: ["prlimit", "--locks=1000:1000", ...command] };
      const fault = await yard.reach({ start: limited }).catch(String);
      expect(fault).toContain("this process cannot be the hub");
    },
    testMsMax,
  );
});

linuxTest(
  "the key of a hub is not written through a link",
  async () => {
    using home = new TempFolder();
    const other = home.write("other", "as it was");
    await using yard = new HubYard();
    mkdirSync(yard.place.folder, { recursive: true, mode: 0o700 });
    symlinkSync(other, `${yard.place.keyFile}.new`);
    await yard.reach();
    expect(readFileSync(other, "utf8")).toBe("as it was");
  },
  testMsMax,
);
