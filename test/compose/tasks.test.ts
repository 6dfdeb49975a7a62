import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Cancellation } from "../../src/base/cancellation.ts";
import { EventStream, type ServerEvent } from "../../src/base/server-events.ts";
import type { CallRequest } from "../../src/calls/call.ts";
import { StoredPlans } from "../../src/compose/plan.ts";
import { Tasks } from "../../src/compose/tasks.ts";
import { engineIsAsked } from "../../src/state/store/look-file.ts";
import { PostgresStore } from "../../src/state/store/postgres/postgres-store.ts";
import { readStoreUrl } from "../../src/state/store/postgres/store-url.ts";
import { StoreFile } from "../../src/state/store/store-file.ts";
import { StoreClient } from "../../src/state/store/worker/store-client.ts";
import type { TaskRequest, TasksReply } from "../../src/tools/state-services.ts";
import { hasPostgres, Postgres } from "../support/engines/postgres.ts";
import { until } from "../commands/process/until.ts";

let root = "";
let store: StoreClient;
let tasks: Tasks;
let heard: ServerEvent[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "scorpiox-tasks-"));
  heard = [];
  const path = join(root, "scorpiox.db");
  const createWorker = (): Worker =>
    new Worker(new URL("../../src/store-worker.ts", import.meta.url).href);
  store = new StoreClient({ createWorker, path, warn: () => {} });
  const events = new EventStream(() => {});
  events.listen((event) => heard.push(event));
  tasks = new Tasks({ store, storePath: path, events });
});
afterEach(async () => {
  tasks[Symbol.dispose]();
  await store[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

function callOf(workspaceName: string): CallRequest {
  const limits = { answerMs: 0, resultCharsMax: 30_000 };
  const workspaceDir = (): Promise<string> => Promise.resolve("/");
  const client = { id: workspaceName, limits, workspaceDir, workspaceName };
  const cancellation = new Cancellation();
  return { version: "2026-07-28", client, cancellation, name: "TaskManager", args: {} };
}

const mine = callOf("mine");
const scope = { workspace: "mine", owner: "" };

const perform = (request: TaskRequest, call: CallRequest): Promise<TasksReply> =>
  tasks.service.perform(request, call);

describe("Tasks", () => {
  test("tells of each change once it is kept, and of nothing that changes nothing", async () => {
    await perform({ action: "create", text: "a" }, mine);
    await perform({ action: "add", taskId: null, text: "s" }, mine);
    await perform({ action: "complete", taskId: null, stepId: 1 }, mine);
    await perform({ action: "complete", taskId: null, stepId: 1 }, mine);
    await perform({ action: "switch", taskId: 1, words: [] }, mine);
    await perform({ action: "list", words: [] }, mine);
    await perform({ action: "complete", taskId: 1, stepId: null }, mine);
    await perform({ action: "switch", taskId: 1, words: [] }, mine);
    await perform({ action: "create", text: " " }, mine).catch(() => undefined);
    const event = { kind: "task", scope, taskId: 1, stepId: null } as const;
    expect(heard).toEqual([
      { ...event, change: "created" },
      { ...event, change: "step_added", stepId: 1 },
      { ...event, change: "step_completed", stepId: 1 },
      { ...event, change: "completed" },
      { ...event, change: "switched" },
    ]);
  });

  test("who watches is told of changes of this and of other processes, to the scope that is watched", async () => {
    let told = 0;
    const stop = tasks.resource.watch?.(mine.client, () => (told += 1));
    // The watch begins when the scope is known.
    await perform({ action: "list", words: [] }, mine);
    await perform({ action: "create", text: "a" }, callOf("other"));
    await perform({ action: "create", text: "a" }, mine);
    expect(told).toBe(1);
    const other = new StoreFile(join(root, "scorpiox.db"));
    other.perform([
      { method: "tasks.perform", request: { scope, request: { action: "create", text: "b" } } },
    ]);
    other.close();
    await until(() => told === 2);
    stop?.();
    await perform({ action: "create", text: "c" }, mine);
    expect(told).toBe(2);
  });
});

describe.skipIf(!hasPostgres)("Tasks in PostgreSQL", () => {
  test("who watches is told of changes of this and of other replicas; plan mode is one for all", async () => {
    await using postgres = await Postgres.start();
    const place = readStoreUrl(postgres.url);
    const path = join(root, "unused.db");
    const createWorker = (): Worker =>
      new Worker(new URL("../../src/store-worker.ts", import.meta.url).href);
    await using client = new StoreClient({ createWorker, path, postgres: place, warn: () => {} });
    await using other = new PostgresStore(place);
    const events = new EventStream(() => {});
    using shared = new Tasks({ store: client, storePath: path, hasEngine: true, events });
    let told = 0;
    const stop = shared.resource.watch?.(mine.client, () => (told += 1));
    await shared.service.perform({ action: "create", text: "a" }, mine);
    await until(() => told === 1);
    const create = { action: "create", text: "b" } as const;
    const { total } = await other.call({
      method: "tasks.perform",
      request: { scope, request: create },
    });
    expect(total).toBe(2);
    await until(() => told === 2);
    stop?.();
    const plan = { goal: "g", planFile: "/w/p.md", startedAtMs: 5 };
    await other.call({ method: "plans.set", request: { scope, plan } });
    const kept = new StoredPlans(client, engineIsAsked);
    expect(await kept.get(scope)).toEqual(plan);
    expect(existsSync(path)).toBe(false);
  });
});
