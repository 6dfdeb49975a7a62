import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import {
  type JudgedPeer,
  PeerJudge,
  signOfCommand,
  withoutServers,
} from "../../../src/hub/link/judge-peer.ts";
import { factsOf } from "../../../src/hub/link/process-facts.ts";
import { loadLibc } from "../../../src/commands/process/libc.ts";
import type { LookAt, ProcessLook } from "../../../src/commands/process/process-origin.ts";
import { until } from "../../commands/process/until.ts";
import { posixTest, testMsMax } from "../../e2e/harness/platform.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";
import { HubYard } from "./hub-yard.ts";

const source = join(import.meta.dir, "../../../src/hub/link/judge-peer.ts");
const origins = join(import.meta.dir, "../../../src/commands/process/process-origin.ts");
const uid = process.getuid?.() ?? 0;
const plain: ProcessLook = {
  parentPid: 0,
  name: "bun",
  hasTerminal: false,
  isMarked: false,
  isProduct: false,
};

/** Judges a process that is said to have connected; descriptor 0 is no socket. */
function judge(
  pid: number | undefined,
  {
    look = {},
    owner = uid,
  }: { readonly look?: Partial<ProcessLook> | null; readonly owner?: number } = {},
): Promise<JudgedPeer> {
  const lookAt: LookAt = (asked) => {
    if (asked === 1) return { ...plain, isProduct: true };
    return asked === pid && look !== null ? { ...plain, ...look } : undefined;
  };
  return new PeerJudge({
    peerOf: () => ({ uid: owner, pid }),
    lookAtAll: async () => lookAt,
  }).judge(0);
}

/** A process of this executable that waits for its input to end. */
const waiting = () =>
  Bun.spawn([process.execPath, "-e", "await Bun.stdin.text()"], { stdin: "pipe" });

describe("PeerJudge", () => {
  posixTest("lets a process of this program in that a person's client has started", async () => {
    using peer = await judge(process.pid);
    expect([peer.refusal, peer.isThere()]).toEqual([undefined, true]);
  });

  posixTest.each<[what: string, judged: () => Promise<JudgedPeer>, refusal: string]>([
    [
      "whose number is not known",
      () => judge(undefined),
      "the system does not say which process it is",
    ],
    ["of another container", () => judge(0), "the system does not say which process it is"],
    ["of another user", () => judge(process.pid, { owner: uid + 1 }), "it belongs to another user"],
    ["that is not there", () => judge(2 ** 22 + 1), "the process that connected has ended"],
    [
      "with the mark of a command",
      () => judge(process.pid, { look: { isMarked: true } }),
      `process ${process.pid} carries the mark of processes that servers start`,
    ],
    [
      "below a server",
      () => judge(process.pid, { look: { parentPid: 1 } }),
      "a server (process 1) has started it",
    ],
    [
      "whose parents cannot be determined",
      () => judge(process.pid, { look: null }),
      "its parent processes cannot be determined",
    ],
  ])("refuses a process %s", async (_, judged, refusal) => {
    using peer = await judged();
    expect(peer.refusal).toBe(refusal);
  });

  posixTest("refuses everybody where processes are not listed", async () => {
    const lost = new PeerJudge({
      peerOf: () => ({ uid, pid: process.pid }),
      lookAtAll: async () => undefined,
    });
    using peer = await lost.judge(0);
    expect(peer.refusal).toBe("the system does not list its parent processes");
  });

  posixTest("refuses everybody where the other end of a socket is not known", async () => {
    using peer = await new PeerJudge({ peerOf: undefined }).judge(0);
    expect(peer.refusal).toBe("the system does not say which process it is");
  });

  posixTest("refuses another program", async () => {
    await using child = Bun.spawn(["/bin/cat"], { stdin: "pipe" });
    using peer = await judge(child.pid);
    expect(peer.refusal).toBe("it runs another program than the hub");
  });

  posixTest("a process that ends during the look, or later, is not there", async () => {
    await using child = waiting();
    using before = await judge(child.pid);
    const ending = new PeerJudge({
      peerOf: () => ({ uid, pid: child.pid }),
      async lookAtAll() {
        child.kill("SIGKILL");
        await until(() => (factsOf(child.pid)?.state ?? "ended") === "ended");
        return (pid) => (pid === child.pid ? plain : undefined);
      },
    });
    using during = await ending.judge(0);
    expect([before.refusal, before.isThere()]).toEqual([undefined, false]);
    expect(during.refusal).toBe("the process that connected has ended");
  });

  posixTest.skipIf(process.platform !== "linux")(
    "refuses the limit that marks commands, however clean its environment is",
    async () => {
      await using child = waiting();
      const libc = loadLibc();
      const own = libc?.limitsOf("locks")?.hard ?? 0n;
      libc?.limit(child.pid, "locks", { soft: own - 1n, hard: own - 1n });
      using peer = await judge(child.pid);
      expect(peer.refusal).toBe("it has the limit of file locks that marks commands of a server");
    },
  );

  posixTest.skipIf(process.platform !== "linux")(
    "refuses it too when this process has got the same limit: any process may lower it",
    async () => {
      const script = `
        const { PeerJudge } = await import(${JSON.stringify(source)});
        const { lookAtProcesses } = await import(${JSON.stringify(origins)});
        const peerOf = () => ({ uid: process.getuid(), pid: process.pid });
        using peer = await new PeerJudge({ peerOf, lookAtAll: lookAtProcesses }).judge(0);
        console.log(peer.refusal);`;
      const limited = ["prlimit", "--locks=1000:1000", process.execPath, "-e", script];
      const { stdout } = Bun.spawnSync(limited);
      expect(stdout.toString()).toBe(
        "it has the limit of file locks that marks commands of a server\n",
      );
    },
  );
});

const linuxTest = test.skipIf(process.platform !== "linux");

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
