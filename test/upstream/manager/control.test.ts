import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { startTimer, type Timer } from "../../../src/base/cancellation.ts";
import type { ConnectionTime } from "../../../src/upstream/manager/connection-parts.ts";
import type { ServerInfo } from "../../../src/upstream/server-state.ts";
import { TrustStore } from "../../../src/upstream/trust/trust-store.ts";
import { until } from "../connect/open-scripted.ts";
import { configText, type Opened, openPlace, textOfReply } from "./open-work.ts";
import { atThisLoad } from "../../fixtures/at-this-load.ts";

test("connect starts a server and says how it went", async () => {
  await using place = await openPlace();
  await place.configure({
    one: { script: { tools: ["echo"] } },
    bad: { script: { exitAtStart: 1 } },
  });
  const opened = place.open();
  await opened.work.start();
  const connect = (server: string): Promise<ServerInfo> =>
    opened.work.control({ kind: "connect", server, waitMs: 5_000 });
  expect(await connect("one")).toMatchObject({ state: "ready", tools: 1, starts: 1 });
  expect((await connect("bad")).state).toBeOneOf(["backoff", "failed"]);
  expect(connect("none")).rejects.toThrow("No MCP server named none is configured.");
  expect(await opened.work.control({ kind: "tools", server: "one" })).toMatchObject([
    { tool: "echo", listing: { name: "mcp__one__echo", inputSchema: { type: "object" } } },
  ]);
});

test("GW-22: an approval that another process gives counts within 2 s", async () => {
  await using place = await openPlace();
  await writeFile(
    join(place.project, ".mcp.json"),
    configText({ one: { script: { tools: ["echo"] } } }),
  );
  const opened = place.open();
  await opened.work.start();
  expect(opened.info("one")?.state).toBe("untrusted");
  const identity = await launchOf(place.project);
  const before = performance.now();
  await new TrustStore(join(place.home, ".scorpiox")).approveLaunch(identity, place.project);
  await opened.reach("one", "ready");
  expect(performance.now() - before).toBeLessThan(atThisLoad(2_500));
});

const idleStopS = 1_234;

/** Idle times pass when the test says so, and all else takes its usual time. */
class IdleTime implements ConnectionTime {
  readonly #due = new Set<() => void>();
  readonly now = (): number => performance.now();

  after(ms: number, act: () => void): Timer {
    if (ms !== idleStopS * 1_000) return startTimer(ms, act);
    this.#due.add(act);
    return { stop: () => void this.#due.delete(act) };
  }

  /** Every idle connection has been idle for long enough. */
  pass(): void {
    const due = [...this.#due];
    this.#due.clear();
    for (const act of due) act();
  }
}

/** The server `one` is stopped as soon as it is idle. */
function restOf(opened: Opened, idle: IdleTime): Promise<void> {
  return until(() => {
    idle.pass();
    return opened.info("one")?.state === "cached";
  });
}

async function launchOf(project: string): Promise<string> {
  const { launchIdentity } = await import("../../../src/upstream/config/entry-launch.ts");
  const { mcpServers } = (await Bun.file(join(project, ".mcp.json")).json()) as {
    mcpServers: { one: { command: string; args: string[] } };
  };
  return launchIdentity({ transport: "stdio", env: {}, ...mcpServers.one });
}

test("a server that nobody uses is stopped, and started by the next call", async () => {
  await using place = await openPlace();
  await place.configure({ one: { script: { tools: ["pid"] }, idle_stop_s: idleStopS } });
  const idle = new IdleTime();
  const opened = place.open({}, idle);
  await opened.work.start();
  await opened.reach("one", "ready");
  const first = textOfReply(await opened.call("one", "pid"));
  await restOf(opened, idle);
  const second = textOfReply(await opened.call("one", "pid"));
  expect(opened.processes.map(({ pid }) => String(pid))).toEqual([first, second]);
});

test("a server is in use while its lists are read, however long that takes", async () => {
  await using place = await openPlace();
  const script = { tools: ["pid"], replyDelayMs: 20 };
  await place.configure({ one: { script, idle_stop_s: idleStopS } });
  const idle = new IdleTime();
  const opened = place.open({}, idle);
  await opened.work.start();
  await restOf(opened, idle);
  expect(opened.info("one")).toMatchObject({ tools: 1, starts: 1 });
});

test("lists that change while hidden tools do are told, and hidden changes are not", async () => {
  await using place = await openPlace();
  const many = Array.from({ length: 20 }, (_, index) => ({
    name: `t${index}`,
    inputSchema: { type: "object" },
    behaviour: "echo",
  }));
  await place.configure({
    one: { script: { tools: [...many, "change_tools"] }, auto_approve: true },
  });
  const opened = place.open();
  await opened.work.start();
  await opened.reach("one", "ready");
  await until(() => opened.snapshot().tools.length === 21);
  expect(opened.snapshot().isDeferred).toBe(true);
  const seen = opened.events.length;
  await opened.call("one", "change_tools", { names: ["echo", "add"] });
  await until(() => opened.snapshot().tools.length === 2);
  expect(opened.snapshot().isDeferred).toBe(true);
  const changed = opened.events
    .slice(seen)
    .flatMap((event) => (event.kind === "snapshot" ? event.changed : []));
  expect(changed).not.toContain("tools");
});

test("[Symbol.asyncDispose]() ends everything, twice as well", async () => {
  await using place = await openPlace();
  await place.configure({ one: { script: { tools: ["hang"] } }, two: { script: { mute: true } } });
  const opened = place.open();
  await opened.work.start();
  await opened.reach("one", "ready");
  const hanging = opened.call("one", "hang");
  await opened.work[Symbol.asyncDispose]();
  await opened.work[Symbol.asyncDispose]();
  expect(textOfReply(await hanging)).toMatch(/^(connection_lost|unreachable): /);
  const ended = await Promise.all(opened.processes.map(({ ended: each }) => each));
  expect(ended).toHaveLength(opened.processes.length);
});
