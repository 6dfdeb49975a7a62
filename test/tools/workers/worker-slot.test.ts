import { expect, test } from "bun:test";

import {
  ComputingCell,
  encodeFromToolWorker,
  type Ending,
  type FromToolWorker,
} from "../../../src/tools/workers/messages.ts";
import {
  cancelGraceMs,
  findOverdue,
  type Job,
  type Stretch,
  StretchWatch,
  WorkerSlot,
} from "../../../src/tools/workers/worker-slot.ts";
import { lookStepMsMax, workerJobMsMax, workerStartMsMax } from "../../../src/base/limits.ts";

/** A Worker that only writes down what it is sent. */
class FakeWorker {
  /** The numbers of the jobs in each message; `reply` and `drop` with their names. */
  readonly posted: string[][] = [];
  onmessage: (event: { data: string }) => void = () => {};

  postMessage(data: unknown): void {
    if (typeof data !== "string") return;
    const messages = data
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; jobId: number });
    const shown = messages.map(({ kind, jobId }) =>
      kind === "job" ? `${jobId}` : `${kind} ${jobId}`,
    );
    this.posted.push(shown);
  }

  addEventListener(): void {}
  terminate(): void {}
}

class SlotHarness {
  readonly #worker = new FakeWorker();
  readonly #jobs = new Map<number, Job>();
  readonly slot = new WorkerSlot(this.#worker as unknown as Worker, {
    onMessage: (slot, message) => this.#settle(slot, message),
    onGone: () => {},
  });

  get posted(): readonly (readonly string[])[] {
    return this.#worker.posted;
  }

  start(...ids: number[]): void {
    for (const id of ids) {
      const job = createJob(id);
      this.#jobs.set(id, job);
      this.slot.start(job);
    }
  }

  job(id: number): Job {
    const job = this.#jobs.get(id);
    if (job === undefined) throw new Error(`no job ${id}`);
    return job;
  }

  /** The Worker says something, and the turn ends. */
  async say(...messages: FromToolWorker[]): Promise<void> {
    this.#worker.onmessage({ data: messages.map(encodeFromToolWorker).join("\n") });
    await Promise.resolve();
  }

  #settle(slot: WorkerSlot, message: FromToolWorker): void {
    if (message.kind === "done") slot.finish(this.job(message.jobId));
    if (message.kind === "call") slot.park(this.job(message.jobId));
  }
}

function createJob(id: number): Job {
  return {
    id,
    hasStarted: false,
    source: () => ({
      tool: "t",
      args: {},
      version: "2025-11-25",
      limits: { resultCharsMax: 1, answerMs: null },
      snapshots: {},
    }),
    msMax: 1000,
    services: () => Promise.resolve({ ok: true, value: null }),
    settle: () => {},
    record: [],
    slot: undefined,
    restarts: 0,
    place: 0,
    isParked: false,
  };
}

const done = (jobId: number): FromToolWorker => ({ kind: "done", jobId, json: "{}" });
const call = (jobId: number): FromToolWorker => ({
  kind: "call",
  jobId,
  method: "background.kill",
  request: { taskId: 1 },
});

test("WorkerSlot: the jobs of one turn go out together", async () => {
  const harness = new SlotHarness();
  harness.start(1, 2);
  await Promise.resolve();
  expect(harness.posted).toEqual([["1", "2"]]);
});

test.each<[string, FromToolWorker[]]>([
  ["is done", [done(1), done(2)]],
  ["waits for a service", [call(1), call(2)]],
])("WorkerSlot: jobs for a Worker at work wait until all of it %s", async (_, [first, second]) => {
  const harness = new SlotHarness();
  harness.start(1, 2);
  await Promise.resolve();
  harness.start(3);
  await Promise.resolve();
  harness.start(4);
  if (first !== undefined) await harness.say(first);
  expect(harness.posted).toEqual([["1", "2"]]);
  if (second !== undefined) await harness.say(second);
  expect(harness.posted).toEqual([
    ["1", "2"],
    ["3", "4"],
  ]);
});

test("WorkerSlot: a job taken away from the Worker is not waited for", async () => {
  const harness = new SlotHarness();
  harness.start(1);
  await Promise.resolve();
  harness.start(2);
  harness.slot.drop(harness.job(1));
  await Promise.resolve();
  expect(harness.posted).toEqual([["1"], ["2", "drop 1"]]);
});

test("WorkerSlot: a reply waits like a job", async () => {
  const harness = new SlotHarness();
  harness.start(1);
  await Promise.resolve();
  await harness.say(call(1));
  harness.start(2);
  await Promise.resolve();
  harness.slot.resume(harness.job(1), { ok: true, value: null });
  await Promise.resolve();
  expect(harness.posted).toEqual([["1"], ["2"]]);
  await harness.say(done(2));
  expect(harness.posted).toEqual([["1"], ["2"], ["reply 1"]]);
  await harness.say(done(1));
  expect(harness.posted).toHaveLength(3);
});

const job = { msMax: 300 };
const ready = { isReady: true, ageMs: 1e9, load: 3 };
const starting = { isReady: false, ageMs: workerStartMsMax, load: 3 };

test.each<
  [string, Parameters<typeof findOverdue>[0], Stretch, typeof job | undefined, Ending | undefined]
>([
  ["a job within its time", ready, { jobId: 7, ms: 300 }, job, undefined],
  [
    "a job beyond its time",
    ready,
    { jobId: 7, ms: 301 },
    job,
    { reason: "it did not finish within 300 ms", culpritId: 7 },
  ],
  ["a cancelled job in its grace", ready, { jobId: 7, ms: cancelGraceMs }, undefined, undefined],
  [
    "a cancelled job beyond it",
    ready,
    { jobId: 7, ms: cancelGraceMs + 1 },
    undefined,
    { reason: "its call was cancelled", culpritId: 7 },
  ],
  ["nothing to do", { ...ready, load: 0 }, { jobId: 0, ms: 1e9 }, undefined, undefined],
  ["jobs about to begin", ready, { jobId: 0, ms: workerJobMsMax }, undefined, undefined],
  [
    "jobs that never begin",
    ready,
    { jobId: 0, ms: workerJobMsMax + 1 },
    undefined,
    { reason: "it started no job within 30000 ms", culpritId: 0 },
  ],
  ["a Worker that starts", starting, { jobId: 0, ms: 1e9 }, undefined, undefined],
  [
    "a Worker that does not start",
    { ...starting, ageMs: workerStartMsMax + 1 },
    { jobId: 0, ms: 0 },
    undefined,
    { reason: "it did not start", culpritId: 0 },
  ],
])("findOverdue: %s", (_, worker, stretch, computing, expected) => {
  expect(findOverdue(worker, stretch, computing)).toEqual(expected);
});

const day = 86_400_000;

test("StretchWatch: what is seen at looks in a row adds up, at most a step for each", () => {
  const cell = new ComputingCell();
  const watch = new StretchWatch(cell);
  cell.begin(7);
  expect([watch.look(1000), watch.isSlow]).toEqual([{ jobId: 7, ms: 0 }, false]);
  expect([watch.look(1004), watch.isSlow]).toEqual([{ jobId: 7, ms: 4 }, true]);
  expect(watch.look(1010)).toEqual({ jobId: 7, ms: 10 });
  expect(watch.look(day)).toEqual({ jobId: 7, ms: 10 + lookStepMsMax });
});

test.each<[string, (cell: ComputingCell) => void, number]>([
  ["the same job's next turn", (cell) => cell.begin(7), 7],
  ["another job", (cell) => cell.begin(8), 8],
  ["the end", (cell) => cell.end(7), 0],
])("StretchWatch: %s begins another stretch, and is not slow before the look", (_, act, jobId) => {
  const cell = new ComputingCell();
  const watch = new StretchWatch(cell);
  cell.begin(7);
  watch.look(0);
  watch.look(5);
  act(cell);
  expect(watch.isSlow).toBe(false);
  expect([watch.look(10), watch.isSlow]).toEqual([{ jobId, ms: 0 }, false]);
});

test("StretchWatch: doing nothing is a stretch, but not a slow one", () => {
  const watch = new StretchWatch(new ComputingCell());
  watch.look(0);
  expect([watch.look(5), watch.look(9).ms > 0, watch.isSlow]).toEqual([
    { jobId: 0, ms: expect.any(Number) },
    true,
    false,
  ]);
});
