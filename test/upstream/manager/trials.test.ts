import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { loadUpstreamConfig } from "../../../src/upstream/config/load-upstream-config.ts";
import type { ConfiguredServer } from "../../../src/upstream/config/server-entry.ts";
import type { TriedServer } from "../../../src/upstream/server-state.ts";
import { spawnHttpUpstream } from "../../fixtures/upstream/spawn.ts";
import { until } from "../connect/open-scripted.ts";
import { type Configured, openPlace, type Place } from "./open-work.ts";

function configuredIn({ home, project }: Place, name: string): ConfiguredServer {
  const scorpioxDir = join(home, ".scorpiox");
  const dirs = { homeDir: home, scorpioxDir, executableDir: home, projectDir: project };
  const { servers } = loadUpstreamConfig({ dirs, env: {}, configFiles: [], isStrict: false });
  const found = servers.get(name);
  if (found === undefined) throw new Error(`no server ${name}`);
  return found;
}

async function control(
  kind: "ask" | "try",
  server: Configured,
  signal?: AbortSignal,
): Promise<{ readonly reply: unknown; readonly place: Place; readonly kept: readonly string[] }> {
  const place = await openPlace();
  // What is thrown leaves nobody who would remove it.
  await using cleanup = new AsyncDisposableStack();
  cleanup.use(place);
  await place.configure({ one: server });
  await using opened = place.open({ isPassive: true });
  await opened.work.start();
  const reply = await opened.work.control({ kind, server: configuredIn(place, "one") }, signal);
  const ended = await Promise.all(opened.processes.map(({ ended: end }) => end));
  expect(ended.length).toBe(opened.processes.length);
  expect([opened.snapshots, opened.events]).toEqual([[], []]);
  const kept = await readdir(join(place.home, ".scorpiox"), { recursive: true });
  cleanup.move();
  return { reply, place, kept };
}

test("GW-24: a server is asked for all that it offers, and nothing of it is approved or kept", async () => {
  const { reply, place, kept } = await control("ask", { script: { tools: ["echo"], prompts: 1 } });
  await using _place = place;
  expect(reply).toMatchObject({
    kind: "catalogue",
    catalogue: { tools: [{ name: "echo" }], prompts: [{}], resources: [{}, {}] },
  });
  expect(kept).toEqual(["mcp_servers.json"]);
});

const askFailures: readonly [string, Configured, string][] = [
  ["ends at once", { script: { exitAtStart: 2, stderr: ["no key"] } }, "with status 2"],
  ["is mute", { script: { mute: true }, init_timeout_ms: 300 }, "No answer in"],
  ["lacks a variable", { env: { A: "${NOT_SET}" }, script: {} }, "NOT_SET is not set"],
  ["is not there", { command: "/no/such/file" }, "/no/such/file"],
];

test.each(askFailures)("why it cannot be asked when it %s", async (_what, server, reason) => {
  const { reply, place } = await control("ask", server);
  await using _place = place;
  expect(reply).toMatchObject({ kind: "unreachable", reason: expect.stringContaining(reason) });
});

test("GW-24: a server that wants a login says what to do", async () => {
  await using http = await spawnHttpUpstream({ http: { authorization: "Bearer x" } });
  const { reply, place } = await control("ask", { url: http.url });
  await using _place = place;
  expect(reply).toMatchObject({
    kind: "unreachable",
    reason: expect.stringContaining("scorpiox-code mcp login one"),
  });
});

test("a server is tried as a running program would: what it has then is approved and kept", async () => {
  const { reply, place, kept } = await control("try", { script: { tools: ["echo"] } });
  await using _place = place;
  const { info, isUsable, steps } = reply as TriedServer;
  expect(isUsable).toBe(true);
  expect(info).toMatchObject({ name: "one", state: "ready", tools: 1, starts: 1 });
  expect(steps.map(({ name, isDone }) => [name, isDone])).toEqual([
    ["start", true],
    ["negotiate", true],
    ["list", true],
  ]);
  expect(steps.every(({ ms }) => Number.isInteger(ms) && ms >= 0)).toBe(true);
  expect(kept).toContain("trust.json");
  expect(kept.some((path) => path.endsWith(".json") && path.includes("cache"))).toBe(true);
});

const failures: readonly [string, Configured, readonly string[]][] = [
  ["cannot be started", { command: "/no/such/file" }, ["start"]],
  ["ends at once", { script: { exitAtStart: 1 } }, ["start", "negotiate"]],
];

test.each(failures)("a server that %s", async (_what, server, names) => {
  const { reply, place } = await control("try", server);
  await using _place = place;
  const { steps, isUsable } = reply as TriedServer;
  expect(isUsable).toBe(false);
  const found = steps.map(({ name, isDone }): [string, boolean] => [name, isDone]);
  expect(found).toEqual(names.map((name, index) => [name, index < names.length - 1]));
});

test("what was kept of a server does not count when it is tried", async () => {
  await using place = await openPlace();
  await place.configure({ one: { script: { tools: ["echo"] } } });
  const first = place.open();
  await first.work.start();
  await first.reach("one", "ready");
  const cache = join(place.home, ".scorpiox", "cache", "mcp");
  const kept = (): readonly string[] => readdirSync(cache).filter((name) => name.endsWith(".json"));
  await until(() => kept().length === 1);
  await first.work[Symbol.asyncDispose]();
  const configured = configuredIn(place, "one");
  const launch = { ...configured.entry.launch, args: ["-e", "process.exit(4)"] };
  const broken = { ...configured, entry: { ...configured.entry, launch } } as ConfiguredServer;
  const second = place.open({ isPassive: true });
  const tried = await second.work.control({ kind: "try", server: broken });
  expect(tried).toMatchObject({ isUsable: false, info: { state: "backoff", tools: 0 } });
  expect(kept()).toEqual([]);
});

test("a command that is interrupted waits for no server", async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 100);
  for (const kind of ["ask", "try"] as const) {
    const trial = control(kind, { script: { mute: true } }, controller.signal);
    expect(trial).rejects.toThrow("cancelled");
    await trial.catch(() => {});
  }
});
