import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Cancellation } from "../../src/base/cancellation.ts";
import { EventStream, type ServerEvent } from "../../src/base/server-events.ts";
import type { CallRequest } from "../../src/calls/call.ts";
import { Tasks } from "../../src/compose/tasks.ts";
import { StoreFile } from "../../src/state/store/store-file.ts";
import { StoreClient } from "../../src/state/store/worker/store-client.ts";
import type { TaskRequest, TasksReply } from "../../src/tools/state-services.ts";
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
