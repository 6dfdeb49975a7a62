import { expect, setDefaultTimeout, test } from "bun:test";

import type { Holdings } from "../../../src/fleet/places/held-state.ts";
import { HeldState } from "../../../src/fleet/places/held-state.ts";
import { EngineMcpTaskRecords } from "../../../src/fleet/places/mcp-task-records.ts";
import type { McpTaskView } from "../../../src/protocol/mcp-task.ts";
import type { McpTask } from "../../../src/server/tasks/mcp-task.ts";
import { startReplica, type TestReplica } from "../../support/engines/fleet.ts";
import { startRedis } from "../../support/engines/redis.ts";

setDefaultTimeout(60_000);

/** Keeps the state of clients, and notes what it takes over. */
class TestHoldings implements Holdings {
  readonly restored: unknown[] = [];

  constructor(readonly own: Readonly<Record<string, unknown>> = {}) {}

  saved(clientId: string): unknown {
    return this.own[clientId];
  }

  restore(clientId: string, state: unknown): void {
    this.restored.push([clientId, state]);
  }
}

function heldAt({ engine, replica, secret }: TestReplica, holdings: Holdings): HeldState {
  return new HeldState({ engine, replica, seal: secret, holdings });
}

/** The principals that have a client each, `c-<principal>`. */
async function keep(at: TestReplica, state: Readonly<Record<string, unknown>>): Promise<void> {
  const held = heldAt(at, new TestHoldings(state));
  for (const clientId of Object.keys(state)) {
    held.note(clientId, clientId.slice(2));
    held.changed(clientId);
  }
  await held.flushed();
}

async function takenBy(at: TestReplica, principalId: string): Promise<unknown[]> {
  const holdings = new TestHoldings();
  const held = heldAt(at, holdings);
  await held.take(principalId);
  await held.flushed();
  return holdings.restored;
}

async function keysLike({ engine }: TestReplica, part: string): Promise<string[]> {
  const keys = await engine.request("KEYS", engine.keys.of(part, "*"));
  return Array.isArray(keys) ? keys.map(String) : [];
}

test("TH46: state of clients that no replica has written is not taken over", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  await using second = await startReplica(redis.url);
  await using thief = await startReplica(redis.url, { key: "a secret that the thief has made up" });
  await keep(first, { "c-anna": "of anna" });
  const [key = ""] = await keysLike(first, "state");
  const genuine = JSON.stringify(await thief.engine.request("GET", key));
  const [clients = ""] = await keysLike(first, "state-clients");
  expect(await takenBy(second, "anna")).toEqual([["c-anna", "of anna"]]);
  const whole = String(JSON.parse(genuine));
  const text = whole.slice(whole.indexOf("{")).replace("of anna", "of the thief");
  const forged = [
    whole.replace("of anna", "of the thief"),
    text,
    thief.secret.sign(text, key),
    "",
    "{",
    "null",
    "x".repeat(20_000_000),
  ];
  for (const value of forged) {
    await thief.engine.request("SET", key, value);
    await thief.engine.request("HSET", clients, key.slice(key.lastIndexOf(":") + 1), "1");
    expect(await takenBy(second, "anna")).toEqual([]);
  }
});

test("TH46: the state of one principal is not taken over for another", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  await using second = await startReplica(redis.url);
  await keep(first, { "c-anna": "of anna" });
  const [annas = ""] = await keysLike(first, "state-clients");
  await keep(first, { "c-ben": "of ben" });
  const bens = (await keysLike(first, "state-clients")).find((key) => key !== annas) ?? "";
  const [name = ""] = [await first.engine.request("HKEYS", annas)].flat().map(String);
  await first.engine.request("HSET", bens, name, "1");
  expect(await takenBy(second, "ben")).toEqual([["c-ben", "of ben"]]);
});

const taskId = "0123456789abcdef".repeat(2);

function viewOf(message: string): McpTaskView {
  return {
    taskId,
    state: { status: "working" },
    statusMessage: message,
    createdAt: "2026-11-28T08:00:00.000Z",
    lastUpdatedAt: "2026-11-28T08:00:00.000Z",
    ttlMs: 60_000,
    pollIntervalMs: 1_000,
  };
}

test("TH46: an MCP task that no replica has written, or for another owner, is not there", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  await using second = await startReplica(redis.url);
  const key = first.engine.keys.of("mcp-task", taskId);
  const view = viewOf("begun");
  await new EngineMcpTaskRecords(first.engine, first.replica, first.secret).save({
    id: taskId,
    ownerId: "anna",
    view,
  } as unknown as McpTask);
  const records = new EngineMcpTaskRecords(second.engine, second.replica, second.secret);
  expect(await records.find("anna", taskId)).toEqual(JSON.parse(JSON.stringify(view)));
  await second.engine.request("HSET", key, "owner", "ben");
  expect(await records.find("ben", taskId)).toBeUndefined();
  await second.engine.request("HSET", key, "owner", "anna");
  for (const forged of [JSON.stringify(viewOf("of the thief")), "{", ""]) {
    await second.engine.request("HSET", key, "task", forged);
    expect(await records.find("anna", taskId)).toBeUndefined();
  }
});
