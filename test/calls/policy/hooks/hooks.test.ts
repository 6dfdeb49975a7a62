import { describe, expect } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";

import {
  hookDepthMax,
  hookLogBytesMax,
  hooksRunningMax,
  hooksWaitingMax,
  sessionFolderAgeMsMax,
} from "../../../../src/base/limits.ts";
import { unsafeCharacters } from "../../../../src/base/unsafe-characters.ts";
import {
  endWithoutRun,
  type Hook,
  type HookEnd,
  hookKey,
  type HookOccasion,
} from "../../../../src/calls/policy/hooks/hook.ts";
import type { HookRun } from "../../../../src/calls/policy/hooks/hook-runner.ts";
import { Hooks, type HooksParts } from "../../../../src/calls/policy/hooks/hooks.ts";
import { SessionFolders, sessionIdOf } from "../../../../src/calls/policy/hooks/session-folder.ts";
import { eventually } from "../../../e2e/harness/conditions.ts";
import { posixTest } from "../../../e2e/harness/platform.ts";
import { HooksTree } from "./hooks-tree.ts";

const done = endWithoutRun("done", "ended with exit code 0");
const refusal: HookEnd = { ...endWithoutRun("failed", "ended with exit code 3"), exitCode: 3 };
const hang = endWithoutRun("timed_out", "was still running after 1 s and was ended");

/** Hooks whose files are real and whose runs are not. */
class Harness implements Disposable {
  readonly tree = new HooksTree();
  readonly ran: string[] = [];
  readonly runs: HookRun[] = [];
  readonly warnings: string[] = [];
  readonly hooks: Hooks;
  end: (hook: Hook, run: HookRun) => HookEnd | Promise<HookEnd> = () => done;

  constructor(more: Partial<HooksParts> = {}) {
    this.hooks = new Hooks({
      folders: this.tree.folders,
      runner: {
        run: async (hook, run) => {
          this.ran.push(`${hook.scope} ${hookKey(hook)}`);
          this.runs.push(run);
          return this.end(hook, run);
        },
      },
      sessions: new SessionFolders([join(this.tree.scorpioxDir, "sessions")]),
      instanceId: "instance",
      timeoutMs: 1_000,
      depth: 0,
      secrets: ["hunter2hunter2"],
      warn: (message) => void this.warnings.push(message),
      ...more,
    });
  }

  async emit(eventName: string, more: Partial<HookOccasion> = {}): Promise<string | undefined> {
    const veto = await this.hooks.emit({
      eventName,
      clientId: "client",
      cwd: () => this.tree.root,
      data: (workspace) => ({ workspace }),
      ...more,
    });
    return veto === undefined ? undefined : hookKey(veto.hook);
  }

  tell(eventName: string, more: Partial<HookOccasion> = {}): void {
    const data = (): unknown => null;
    this.hooks.tell({ eventName, clientId: "client", cwd: () => "/", data, ...more });
  }

  [Symbol.dispose](): void {
    this.tree[Symbol.dispose]();
  }
}

describe("Hooks", () => {
  posixTest("runs sync hooks in order, the user's first, then the others", async () => {
    using harness = new Harness();
    for (const name of ["sync-10", "a", "sync-9", "_sync-1"]) harness.tree.user(`tool_use/${name}`);
    for (const name of ["sync-1", "b"]) harness.tree.project(`tool_use/${name}`);
    expect(await harness.emit("tool_use")).toBeUndefined();
    await harness.hooks.settled();
    expect(harness.ran).toEqual([
      "user tool_use/sync-9",
      "user tool_use/sync-10",
      "project tool_use/sync-1",
      "user tool_use/a",
      "project tool_use/b",
    ]);
  });

  posixTest("a sync hook that is not let through stops what follows", async () => {
    using harness = new Harness();
    for (const name of ["sync-1", "sync-2", "sync-3", "a"]) harness.tree.user(`tool_use/${name}`);
    harness.end = (hook) => (hook.name === "sync-2" ? refusal : done);
    expect(await harness.emit("tool_use", { canBeStopped: true })).toBe("tool_use/sync-2");
    await harness.hooks.settled();
    expect(harness.ran).toEqual(["user tool_use/sync-1", "user tool_use/sync-2"]);
  });

  posixTest.each([
    ["timed_out", hang],
    ["not_started", endWithoutRun("not_started", "could not be run")],
    ["cancelled", endWithoutRun("cancelled", "was ended")],
    ["killed", endWithoutRun("failed", "was ended by SIGKILL")],
  ])("a sync hook that ended otherwise stops as well: %s", async (_state, end) => {
    using harness = new Harness();
    harness.tree.user("tool_use/sync-1");
    harness.end = () => end;
    expect(await harness.emit("tool_use", { canBeStopped: true })).toBe("tool_use/sync-1");
  });

  posixTest("a hook that is not approved stops nothing, and is said once", async () => {
    using harness = new Harness();
    const path = harness.tree.project("tool_use/sync-1");
    harness.end = () => endWithoutRun("held", "is not approved");
    expect(await harness.emit("tool_use")).toBeUndefined();
    expect(await harness.emit("tool_use")).toBeUndefined();
    const remedy = "Look at it and run: scorpiox-code hooks approve";
    expect(harness.warnings).toEqual([
      `The hook ${path} is not run: it is not approved. ${remedy}`,
    ]);
    expect(existsSync(join(harness.tree.scorpioxDir, "sessions"))).toBe(false);
  });

  posixTest("others neither delay nor stop, and a bounded number runs at a time", async () => {
    using harness = new Harness();
    for (let index = 1; index <= 200; index++) harness.tree.user(`tool_use/${index}`);
    const gate = Promise.withResolvers<HookEnd>();
    harness.end = () => gate.promise;
    expect(await harness.emit("tool_use")).toBeUndefined();
    await eventually("the first to run", () => harness.ran.length === hooksRunningMax);
    gate.resolve(refusal);
    await harness.hooks.settled();
    expect(harness.ran.length).toBe(200);
    expect(harness.ran.at(-1)).toBe("user tool_use/200");
  });

  posixTest("what waits is bounded, and what is left out is said", async () => {
    using harness = new Harness();
    for (let index = 1; index <= 200; index++) harness.tree.user(`tool_use/${index}`);
    const gate = Promise.withResolvers<HookEnd>();
    harness.end = () => gate.promise;
    for (let round = 0; round < 6; round++) await harness.emit("tool_use");
    gate.resolve(done);
    await harness.hooks.settled();
    expect(harness.ran.length).toBe(hooksWaitingMax);
    expect(harness.warnings).toEqual([
      "Too many hooks wait for their turn: some of tool_use were left out.",
    ]);
  });

  posixTest("hook_failed is told of a failure, and never of its own", async () => {
    using harness = new Harness();
    harness.tree.user("tool_use/a");
    harness.tree.user("hook_failed/b");
    harness.end = () => hang;
    await harness.emit("tool_use");
    await harness.hooks.settled();
    expect(harness.ran).toEqual(["user tool_use/a", "user hook_failed/b"]);
    const told = JSON.parse((await harness.runs[1]?.payload.argument(true)) ?? "") as unknown;
    expect(told).toEqual({
      hook: "tool_use/a",
      scope: "user",
      reason: hang.how,
      exitCode: null,
      output: "",
    });
  });

  posixTest.each([
    [true, refusal, 0],
    [false, refusal, 1],
    [true, hang, 1],
  ])(
    "a refusal is an answer where something can be stopped (%p), not a failure",
    async (can, end, told) => {
      using harness = new Harness();
      harness.tree.user("tool_use/sync-a");
      harness.tree.user("hook_failed/b");
      harness.end = () => end;
      await harness.emit("tool_use", { canBeStopped: can });
      await harness.hooks.settled();
      expect(harness.ran.filter((key) => key.includes("hook_failed")).length).toBe(told);
    },
  );

  posixTest.each([
    [hookDepthMax - 1, 1],
    [hookDepthMax, 0],
    [hookDepthMax + 1, 0],
  ])("below %p hooks runs %p", async (depth, count) => {
    using harness = new Harness({ depth });
    harness.tree.user("tool_use/sync-a");
    await harness.emit("tool_use");
    await harness.emit("tool_use");
    expect(harness.ran.length).toBe(2 * count);
    expect(harness.warnings.length).toBe(1 - count);
  });

  posixTest("all that are waited for share the time that there is", async () => {
    using harness = new Harness();
    for (const name of ["sync-1", "sync-2", "sync-3"]) harness.tree.user(`tool_use/${name}`);
    harness.end = async ({ name }, { timeoutMs }) => {
      if (name === "sync-2") await Bun.sleep(timeoutMs + 5);
      return done;
    };
    expect(await harness.emit("tool_use", { waitMsMax: 300 })).toBe("tool_use/sync-3");
    expect(harness.runs.map((run) => run.timeoutMs <= 300)).toEqual([true, true]);
  });

  posixTest("what nobody waits for keeps no call waiting, and is bounded", async () => {
    using harness = new Harness();
    for (const key of ["session_end/sync-a", "tool_use/sync-b"]) harness.tree.user(key);
    const gate = Promise.withResolvers<HookEnd>();
    harness.end = ({ eventName }) => (eventName === "session_end" ? gate.promise : done);
    for (let round = 0; round < hooksWaitingMax + 5; round++) harness.tell("session_end");
    await eventually("the first to run", () => harness.ran.length === hooksRunningMax);
    expect(await harness.emit("tool_use", { canBeStopped: true })).toBeUndefined();
    gate.resolve(done);
    await harness.hooks.settled();
    expect(harness.ran.length).toBe(hooksWaitingMax + 1);
    expect(harness.warnings).toEqual([
      "Too many hooks wait for their turn: some of session_end were left out.",
    ]);
  });

  posixTest("waiting for a turn takes the time of the call", async () => {
    using harness = new Harness();
    harness.tree.user("tool_use/sync-a");
    const gate = Promise.withResolvers<HookEnd>();
    harness.end = () => gate.promise;
    const others = Array.from({ length: hooksRunningMax }, () => harness.emit("tool_use"));
    await eventually("they run", () => harness.ran.length === hooksRunningMax);
    expect(await harness.emit("tool_use", { waitMsMax: 50 })).toBe("tool_use/sync-a");
    gate.resolve(done);
    await Promise.all(others);
    expect(harness.ran.length).toBe(hooksRunningMax);
  });

  posixTest("the last do not wait for hooks that take long to go", async () => {
    using harness = new Harness();
    for (let index = 0; index < hooksRunningMax; index++) harness.tree.user(`tool_use/${index}`);
    harness.tree.user("session_end/a");
    const gate = Promise.withResolvers<HookEnd>();
    harness.end = ({ eventName }) => (eventName === "tool_use" ? gate.promise : done);
    await harness.emit("tool_use");
    await eventually("they run", () => harness.ran.length === hooksRunningMax);
    harness.hooks.close();
    harness.tell("session_end", { isLast: true });
    await eventually("the last", () => harness.ran.at(-1) === "user session_end/a");
    gate.resolve(done);
    await harness.hooks.settled();
  });

  posixTest("closing ends what runs, and lets only the last begin", async () => {
    using harness = new Harness();
    for (const key of ["tool_use/a", "tool_use/sync-b", "session_end/c"]) harness.tree.user(key);
    harness.end = (hook, { signal }) =>
      hook.name !== "a" ? done : endAt(signal, endWithoutRun("cancelled", "was ended"));
    await harness.emit("tool_use");
    await eventually("a runs", () => harness.ran.includes("user tool_use/a"));
    harness.hooks.close();
    expect(await harness.emit("tool_use", { canBeStopped: true })).toBe("tool_use/sync-b");
    harness.tell("session_end", { isLast: true });
    await harness.hooks.settled();
    expect(harness.ran).toEqual(["user tool_use/sync-b", "user tool_use/a", "user session_end/c"]);
  });

  posixTest("a file that is refused is said once, and one that comes later is found", async () => {
    using harness = new Harness();
    const path = harness.tree.user("tool_use/open", "", 0o777);
    await harness.emit("tool_use");
    expect(harness.hooks.hasNone("tool_use")).toBe(true);
    harness.tree.user("tool_use/sync-later");
    await eventually("the next look", async () => {
      await harness.emit("tool_use");
      return harness.ran.length > 0;
    });
    expect(harness.warnings).toEqual([
      `The hook ${path} is not run: everybody may write to it: chmod o-w.`,
    ]);
  });
});

function endAt(signal: AbortSignal, end: HookEnd): Promise<HookEnd> {
  const { promise, resolve } = Promise.withResolvers<HookEnd>();
  signal.addEventListener("abort", () => resolve(end));
  return promise;
}

describe("hooks.log", () => {
  const sessionId = sessionIdOf("instance", "client");

  posixTest(
    "is private, has a line for each run, and what hooks were told is not in it",
    async () => {
      using harness = new Harness();
      harness.tree.user("tool_use/sync-a");
      harness.end = () => ({
        ...refusal,
        durationMs: 5,
        output: `x\u001b[31m\u009b\u202e\u{e0041} hunter2hunter2 ${"y ".repeat(9_000)}`,
      });
      await harness.emit("tool_use", { data: () => ({ secret: "told" }) });
      await harness.hooks.settled();
      const folder = join(harness.tree.scorpioxDir, "sessions", sessionId);
      expect(readdirSync(folder)).toEqual(["hooks.log"]);
      const file = join(folder, "hooks.log");
      const line = readFileSync(file, "utf8");
      expect(JSON.parse(line)).toEqual({
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        event: "tool_use",
        hook: "sync-a",
        scope: "user",
        state: "failed",
        how: "ended with exit code 3",
        durationMs: 5,
        output: expect.stringMatching(/characters left out/),
      });
      expect(line).not.toContain("told");
      expect(line).not.toContain("hunter2");
      expect(line.trim()).not.toMatch(unsafeCharacters);
      expect([file, folder].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o700]);
    },
  );

  posixTest("begins anew when it is full; the one before is kept", async () => {
    using harness = new Harness();
    harness.tree.user("tool_use/sync-a");
    await harness.emit("tool_use");
    await harness.hooks.settled();
    const file = join(harness.tree.scorpioxDir, "sessions", sessionId, "hooks.log");
    await Bun.write(file, "x".repeat(hookLogBytesMax));
    await harness.emit("tool_use");
    await harness.hooks.settled();
    expect(statSync(`${file}.1`).size).toBe(hookLogBytesMax);
    expect(readFileSync(file, "utf8").split("\n").length).toBe(2);
  });

  posixTest("a folder that nobody has written to for long goes, others stay", async () => {
    using harness = new Harness();
    const sessions = join(harness.tree.scorpioxDir, "sessions");
    const [old, live] = [sessionIdOf("old", "a"), sessionIdOf("live", "a")];
    const aged = [old, live, "not-ours"].map((name) => join(sessions, name));
    for (const path of aged) {
      const log = join(path, "hooks.log");
      await Bun.write(log, "x");
      const then = (Date.now() - sessionFolderAgeMsMax - 1_000) / 1_000;
      // A log that grows does not change its folder.
      if (!path.includes(live)) utimesSync(log, then, then);
      utimesSync(path, then, then);
    }
    harness.tree.user("tool_use/sync-a");
    await harness.emit("tool_use");
    await harness.hooks.settled();
    await eventually("the sweep", () => !existsSync(aged[0] ?? ""));
    expect(readdirSync(sessions).sort()).toEqual([sessionId, live, "not-ours"].sort());
  });
});
