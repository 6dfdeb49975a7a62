import { expect, test } from "bun:test";
import { join } from "node:path";

import { emptySnapshot, unheardSnapshot } from "../../../src/upstream/snapshot.ts";
import type { UpstreamEvent } from "../../../src/upstream/upstreams.ts";
import { SnapshotHold } from "../../../src/upstream/worker/restart-state.ts";
import { until } from "../../commands/process/until.ts";
import { ScriptedUpstreams } from "./scripted-upstreams.ts";

const never = new AbortController().signal;

test("settled gives the first complete snapshot, and calls their values, faults and checks", async () => {
  await using upstreams = new ScriptedUpstreams();
  const { client } = upstreams;
  expect(client.snapshot).toBeUndefined();
  expect(await client.settled(5_000)).toMatchObject({ revision: 2, isIncomplete: false });
  expect(await upstreams.call("echo", { value: { ü: [1, null, "\u2028"] } })).toEqual({
    ü: [1, null, "\u2028"],
  });
  expect(await upstreams.call("fault")).toEqual({
    kind: "fault",
    fault: { code: -32_000, message: "no" },
  });
  expect(await client.checkArguments("s", "strict", { a: 1 }, never)).toBe('no {"a":1}');
  expect(await client.checkArguments("s", "free", {}, never)).toBeUndefined();
  expect((await client.search({ query: "mail", charsMax: 100 }, never)).json).toBe(
    '{"query":"mail"}',
  );
  expect(await client.control({ kind: "tools" })).toEqual({ did: "tools" } as never);
  expect(await client.infoList()).toEqual([]);
  expect(upstreams.warnings).toEqual([]);
});

test("settled does not wait longer than it may, and gives what there is", async () => {
  await using upstreams = new ScriptedUpstreams({}, { workspace: "never-complete" });
  await upstreams.call("echo");
  // The answer may overtake it.
  await until(() => upstreams.client.snapshot !== undefined);
  expect(await upstreams.client.settled(1)).toMatchObject({ revision: 1, isIncomplete: true });
});

test("settled gives nothing that could be taken for all before the Worker has spoken", async () => {
  await using upstreams = new ScriptedUpstreams();
  const { client } = upstreams;
  expect([await client.settled(0), client.snapshot]).toEqual([unheardSnapshot, undefined]);
});

test("a snapshot of 5,000 tools arrives whole, and listeners are told after it", async () => {
  await using upstreams = new ScriptedUpstreams();
  await upstreams.client.settled(5_000);
  const seen: unknown[] = [];
  upstreams.client.listen((event) => {
    seen.push([event, upstreams.client.snapshot?.tools.length]);
  });
  await upstreams.call("publish", { tools: 5_000 });
  await until(() => seen.length > 0);
  expect(seen).toEqual([[{ kind: "snapshot", changed: ["tools"] }, 5_000]]);
  expect(upstreams.client.snapshot?.tools[4_999]).toEqual({
    name: "mcp__scripted__tool_4999",
    server: "scripted",
    tool: "tool_4999",
  });
});

test("[GW-36] a flood of events is bounded, updates are told once, and what was dropped is said", async () => {
  await using upstreams = new ScriptedUpstreams();
  await upstreams.client.settled(5_000);
  const events: UpstreamEvent[] = [];
  upstreams.client.listen((event) => events.push(event));
  await upstreams.call("flood", { count: 20_000 });
  // One that goes at once, and a thousand that wait.
  const kept = 1_001;
  await until(() => events.length === kept + 1);
  expect(events.filter(({ kind }) => kind === "failure").length).toBe(kept);
  expect(events.find(({ kind }) => kind === "notice")).toEqual({
    kind: "notice",
    text: `${20_000 - kept} messages of MCP servers were dropped: they arrive faster than they can be passed on.`,
  });
  events.length = 0;
  await upstreams.call("updates", { count: 500 });
  await upstreams.call("echo");
  expect(events.length).toBeLessThanOrEqual(2);
});

test("progress is passed on ten times a second at most, rising, and not after the answer", async () => {
  await using upstreams = new ScriptedUpstreams();
  const seen: number[] = [];
  await upstreams.call("progress", { ms: 450 }, { onProgress: (step) => seen.push(step) });
  const count = seen.length;
  expect(count).toBeGreaterThanOrEqual(1);
  expect(count).toBeLessThanOrEqual(6);
  expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
  await upstreams.call("echo");
  expect(seen.length).toBe(count);
});

test("log messages of a call come before its answer, a hundred in a second at most", async () => {
  await using upstreams = new ScriptedUpstreams();
  const seen: unknown[] = [];
  const log = (...message: unknown[]): void => void seen.push(message);
  await upstreams.call("logs", { count: 3 }, { log });
  expect(seen).toEqual([0, 1, 2].map((at) => ["info", at, "scripted"]));
  await upstreams.call("logs", { count: 1_000 }, { log });
  expect(seen.length).toBeLessThanOrEqual(203);
});

test("a question crosses to the caller, and its answer or refusal back", async () => {
  await using upstreams = new ScriptedUpstreams();
  const request = { method: "roots/list" };
  const asked: unknown[] = [];
  const ask = (question: unknown): Promise<never> => {
    asked.push(question);
    return Promise.resolve({ roots: [] } as never);
  };
  expect(await upstreams.call("ask", { request }, { ask })).toEqual({ roots: [] });
  expect(asked).toEqual([request]);
  const failing = upstreams.call("ask", { request });
  expect(await failing).toMatchObject({ kind: "failed", text: "scripted: not asked" });
});

test("a call that is cancelled is over at once, and the Worker hears of it", async () => {
  await using upstreams = new ScriptedUpstreams();
  const controller = new AbortController();
  const waiting = upstreams.call("wait", {}, {}, controller.signal);
  await upstreams.call("echo");
  controller.abort();
  expect(await waiting.catch((error: { code: string }) => error.code)).toBe("cancelled");
  expect(await upstreams.call("echo", { value: 1 })).toBe(1);
});

const losses: readonly [act: string, reason: string][] = [
  ["loop", "it hung"],
  ["exit", "it exited with code 7"],
];

test.each(losses)(
  "[GW-37] a Worker lost by %s fails its calls, takes its servers along and is replaced",
  async (act, reason) => {
    await using upstreams = new ScriptedUpstreams({ lookMs: 50, silentLooksMax: 10 });
    const pid = await upstreams.start("exec cat");
    await upstreams.client.subscribe("scorpiox://mcp/s/one", "client");
    await upstreams.client.subscribe("scorpiox://mcp/s/unsupported", "client");
    const [waiting, cause] = await Promise.all([upstreams.call("wait"), upstreams.call(act)]);
    const text = `scripted: The Worker for MCP servers was lost: ${reason}. The call may have happened: check before you repeat it.`;
    expect([waiting, cause]).toEqual([
      { kind: "failed", text, reason: "worker" },
      { kind: "failed", text, reason: "worker" },
    ]);
    expect(upstreams.warnings).toEqual([
      `The Worker for MCP servers was lost and is being replaced: ${reason}.`,
    ]);
    expect(await upstreams.call("subscribed")).toEqual(["client scorpiox://mcp/s/one"]);
    expect(upstreams.started).toBe(2);
    await until(() => (upstreams.client.snapshot?.revision ?? 0) > 2);
    await until(() => !isAlive(Number(pid)));
  },
  60_000,
);

test("a Worker that is lost again and again stays away longer and longer, and says so", async () => {
  await using upstreams = new ScriptedUpstreams({ restartMs: 200 });
  await upstreams.call("exit");
  await upstreams.call("exit");
  expect(await upstreams.call("echo")).toEqual({
    kind: "failed",
    text: "scripted: The Worker for MCP servers was lost several times. It restarts in 1 s; try again then.",
    reason: "worker",
  });
  await until(() => upstreams.started === 3);
  expect(await upstreams.call("echo", { value: 3 })).toBe(3);
});

test("[HB6] where calls wait, one that comes between two Workers is made with the next one", async () => {
  await using upstreams = new ScriptedUpstreams({ restartMs: 200, callsWait: true });
  await upstreams.call("exit");
  await upstreams.call("exit");
  expect(upstreams.started).toBe(2);
  expect(await upstreams.call("echo", { value: 3 })).toBe(3);
  expect(upstreams.started).toBe(3);
});

test("[HB6] a call that waits for the next Worker ends with its signal, and with everything", async () => {
  await using upstreams = new ScriptedUpstreams({ restartMs: 300, callsWait: true });
  const code = (error: { code: string }): string => error.code;
  await upstreams.call("exit");
  await upstreams.call("exit");
  const controller = new AbortController();
  const given = upstreams.call("echo", {}, {}, controller.signal).catch(code);
  controller.abort();
  expect(await given).toBe("cancelled");
  await upstreams.call("exit");
  const waiting = upstreams.call("echo").catch(code);
  await upstreams.client[Symbol.asyncDispose]();
  expect(await waiting).toBe("cancelled");
});

test("[HB6] the last snapshot stays while the next Worker asks the servers again", async () => {
  await using upstreams = new ScriptedUpstreams();
  const { client } = upstreams;
  await client.settled(5_000);
  await upstreams.call("publish", { tools: 3 });
  await until(() => client.snapshot?.tools.length === 3);
  await client.control({ kind: "switch-project", projectDir: "asks-again", folders: [] });
  const events: UpstreamEvent[] = [];
  client.listen((event) => events.push(event));
  await upstreams.call("exit");
  // Its answer comes after its first snapshots.
  await upstreams.call("echo");
  expect(client.snapshot?.tools.length).toBe(3);
  await upstreams.call("publish", { tools: 2 });
  await until(() => client.snapshot?.tools.length === 2);
  expect(events).toEqual([{ kind: "snapshot", changed: ["prompts", "tools"] }]);
});

test("[HB6] the last snapshot stays for a bounded time, and only where there is one", () => {
  const asking = { ...emptySnapshot, revision: 1, holdsLists: true };
  const hold = new SnapshotHold();
  expect(hold.take(asking, ["tools"])).toEqual(["tools"]);
  hold.begin(undefined);
  expect(hold.take(asking, [])).toEqual([]);
  hold.begin(asking);
  expect(hold.take(asking, [])).toEqual([]);
  hold.begin(emptySnapshot);
  expect(hold.take(asking, ["tools"])).toBeUndefined();
  // It was lost again meanwhile.
  hold.begin(emptySnapshot);
  expect(hold.take(asking, ["tools"])).toBeUndefined();
  expect(hold.take(emptySnapshot, [])).toEqual(["tools"]);
  const brief = new SnapshotHold(0);
  brief.begin(emptySnapshot);
  expect(brief.take(asking, [])).toEqual([]);
});

test("what is thrown out of turn is reported, and the Worker goes on", async () => {
  // The test runner takes what is thrown in a Worker for its own: a process without it.
  const program = join(import.meta.dir, "fixtures/out-of-turn.ts");
  const child = Bun.spawn([process.execPath, program], { stdout: "pipe" });
  expect(await child.stdout.json()).toEqual({
    started: 1,
    warnings: ["internal error in the Worker for MCP servers: left behind"],
    value: 1,
  });
});

test("a project that was switched to is that of the next Worker", async () => {
  await using upstreams = new ScriptedUpstreams();
  await upstreams.client.control({ kind: "switch-project", projectDir: "other", folders: [] });
  await upstreams.call("exit");
  await upstreams.call("echo");
  await until(() => upstreams.client.snapshot?.indexFile === "other");
});

test("at the end calls are cancelled and nothing is started any more", async () => {
  await using upstreams = new ScriptedUpstreams();
  const code = (error: { code: string }): string => error.code;
  const waiting = upstreams.call("wait").catch(code);
  await upstreams.call("echo");
  await upstreams.client[Symbol.asyncDispose]();
  expect(await waiting).toBe("cancelled");
  expect(await upstreams.call("echo").catch(code)).toBe("cancelled");
  expect(upstreams.started).toBe(1);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
