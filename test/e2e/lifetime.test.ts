import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, readdirSync, readFileSync, renameSync } from "node:fs";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { structuredOf, textOf } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { allGone, isAlive, processesWith, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { isHeld, makeComet } from "../fixtures/processes/comet.ts";
import { atThisLoad } from "../fixtures/at-this-load.ts";
import { taskIdOf, wholeOf } from "./harness/told.ts";
import { loadLibc } from "../../src/commands/process/libc.ts";
import { isLongRun, onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

/** Tolerant, for a busy machine; `bun run verify` holds the strict figures. */
const exitMsMax = 5_000;

/** A server with a foreground and two background commands; one of each kind ignores TERM. */
async function startBusy(seconds: string, home?: TempFolder): Promise<Server> {
  const server = new Server(home === undefined ? {} : { home });
  await server.initialize();
  const stubborn = `trap '' TERM HUP INT; sleep ${seconds}; sleep ${seconds}`;
  const daemon = `setsid sh -c "trap '' TERM; sleep ${seconds}; :" & sleep ${seconds}`;
  server.start("tools/call", { name: "Bash", arguments: { command: daemon, timeout: 600_000 } });
  await server.call("BackgroundBash", { command: stubborn });
  await server.call("BackgroundBash", { command: `sleep ${seconds}` });
  await eventually("four sleepers", () => sleepers(seconds) >= 4);
  return server;
}

describe("the end of a server", () => {
  posixTest("[exit.eof-idle] is soon after the end of its input", async () => {
    await using server = new Server();
    await server.initialize();
    await server.call("Bash", { command: "true" });
    const startedAt = performance.now();
    server.endInput();
    expect(await server.ended(exitMsMax)).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(atThisLoad(exitMsMax));
  });

  posixTest("[exit.eof-idle] comes before a handshake too", async () => {
    await using server = new Server();
    server.endInput();
    expect(await server.ended(exitMsMax)).toBe(0);
    expect(server.lines).toEqual([]);
  });

  posixTest("[exit.eof-busy] leaves no child when the client goes", async () => {
    const seconds = uniqueSeconds();
    await using server = await startBusy(seconds);
    server.endInput();
    expect(await server.ended(exitMsMax)).toBe(0);
    await allGone(`sleep ${seconds}`, 1_000);
  });

  posixTest.each(["SIGTERM", "SIGHUP", ...onlyLong(["SIGINT"] as const)] as const)(
    "[exit.signal] leaves no child after %s",
    async (signal) => {
      const seconds = uniqueSeconds();
      await using server = await startBusy(seconds);
      server.signal(signal);
      await server.ended(exitMsMax);
      await allGone(`sleep ${seconds}`, 1_000);
    },
  );

  posixTest(
    "[exit.kill-9] U-orphan: leaves no child, daemons and stopped ones included",
    async () => {
      const seconds = uniqueSeconds();
      await using server = await startBusy(seconds);
      await server.call("BackgroundBash", {
        command: `sleep ${seconds} & sleep 0.2; kill -STOP $!; wait`,
      });
      await server.call("BackgroundBash", {
        command: `env -i /bin/sh -c "trap '' TERM; sleep ${seconds}; :"`,
      });
      await eventually("six sleepers", () => sleepers(seconds) >= 6);
      // The guardian is told of commands that live a tenth of a second; until then the owner mark stands for
      // them, which the last one has wiped.
      await Bun.sleep(200);
      server.signal("SIGKILL");
      await server.ended(exitMsMax);
      await allGone(`sleep ${seconds}`, 5_000);
    },
  );

  posixTest(
    "[exit.kill-9] U-orphan: the next start does not touch what is not its own",
    async () => {
      const seconds = uniqueSeconds();
      using home = new TempFolder();
      await using first = await startBusy(seconds, home);
      await using second = new Server({ home });
      await second.initialize();
      expect(textOf(await second.call("Bash", { command: "echo second" }))).toBe("second\n");
      expect(processesWith(`sleep ${seconds}`).length).toBeGreaterThanOrEqual(4);
      expect((await first.request("ping")).result).toEqual({});
    },
  );
});

/** Linux: elsewhere nobody is given orphans, and a wiped mark is lost. */
const linuxTest = test.skipIf(process.platform !== "linux");

/**
 * Collects what is left of comets where this process is given orphans, as tests in the same worker may have asked for: every
 * later look at all processes reads them too.
 */
function reapComets(): void {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, program = "", parent] =
        /^\d+ \((\w+)\) Z (\d+) /.exec(readFileSync(`/proc/${name}/stat`, "latin1")) ?? [];
      const isComet = program === "comet" || program === "perl";
      if (isComet && Number(parent) === process.pid) loadLibc()?.reap(Number(name));
    } catch {
      // Somebody else has collected it.
    }
  }
}

describe("who leaves group, session, parent and environment", () => {
  const made = new TempFolder();
  const comet = process.platform === "linux" ? makeComet(made.path) : undefined;
  afterAll(() => made[Symbol.dispose]());

  linuxTest.each(["call", "EOF", "SIGKILL", ...onlyLong(["SIGTERM"] as const)] as const)(
    "[exit.wiped] is ended by %s, and nobody else",
    async (end) => {
      using folder = new TempFolder();
      const file = folder.write("lock", "");
      const foreign = Bun.spawn(["env", "-i", "/bin/sleep", "300"], { detached: true });
      await using server = new Server();
      await server.initialize();
      // Whose a process is must be known: another command runs all the time.
      const other = await server.call("BackgroundBash", { command: "sleep 600" });
      // Killed, the guardian finds it after up to a second, which is thousands of processes of the fastest one.
      const pace = end === "SIGKILL" && !isLongRun ? 2_000 : 0;
      const command = `env -i ${comet?.command(file, 120, pace)}`;
      if (end === "call") {
        await server.call("Bash", { command });
      } else {
        await server.call("BackgroundBash", { command: `${command}; sleep 600` });
        await eventually("the comet", () => isHeld(file));
        if (end === "EOF") server.endInput();
        else server.signal(end);
        await server.ended(exitMsMax);
      }
      await eventually("its end", () => !isHeld(file));
      const pid = Number(/\(pid (\d+)\)/.exec(textOf(other))?.[1]);
      await eventually("the other command's end", () => isAlive(pid) === (end === "call"));
      expect(isAlive(foreign.pid)).toBe(true);
      foreign.kill("SIGKILL");
      reapComets();
    },
  );
});

describe("two servers on one home", () => {
  posixTest("[home.shared] work side by side, each with tasks of its own", async () => {
    using home = new TempFolder();
    await using one = new Server({ home });
    await using two = new Server({ home });
    await Promise.all([one.initialize(), two.initialize()]);
    const [first, second] = await Promise.all([
      one.call("BackgroundBash", { command: "echo from one; sleep 30" }),
      two.call("BackgroundBash", { command: "echo from two; sleep 30" }),
    ]);
    expect([taskIdOf(first), taskIdOf(second)]).toEqual([1, 1]);
    const read = { task_id: 1, wait_ms: 5_000, until: "from" };
    expect(textOf(await one.call("ReadBgOutput", read))).toContain("from one");
    expect(textOf(await two.call("ReadBgOutput", read))).toContain("from two");
    const outputs = await Promise.all(
      [one, two].map((server) => server.call("Bash", { command: "seq 1 8000" })),
    );
    const files = outputs.map(wholeOf);
    expect(new Set(files).size).toBe(2);
    const pid = Number(/\(pid (\d+)\)/.exec(textOf(second))?.[1]);
    one.endInput();
    await one.ended();
    expect(isAlive(pid)).toBe(true);
    expect(structuredOf(await two.call("ListBgTasks"))["tasks"]).toMatchObject([
      { taskId: 1, kind: "command", state: "running" },
      { taskId: 2, kind: "output", state: "exited" },
    ]);
    expect(one.stderr + two.stderr).toBe("");
  });
});

describe("an upgrade", () => {
  posixTest(
    "[upgrade.running] over a running binary disturbs neither the old nor the new",
    async () => {
      ensureBuilt(productBinary);
      using folder = new TempFolder();
      const binary = folder.at("scorpiox-code");
      copyFileSync(productBinary, binary);
      await using old = new Server({ binary });
      await old.initialize();
      copyFileSync(productBinary, `${binary}.new`);
      renameSync(`${binary}.new`, binary);
      // More than one Worker and the first command of this process: nothing was loaded before.
      const many = Array.from({ length: 8 }, (_, index) =>
        old.call("Bash", { command: `sleep 0.2; echo old ${index}` }),
      );
      const texts = (await Promise.all(many)).map(textOf);
      expect(texts).toEqual(many.map((_, index) => `old ${index}\n`));
      await using recent = new Server({ binary });
      await recent.initialize();
      expect(textOf(await recent.call("Bash", { command: "echo new" }))).toBe("new\n");
      expect(textOf(await old.call("Bash", { command: "echo still" }))).toBe("still\n");
    },
  );
});
