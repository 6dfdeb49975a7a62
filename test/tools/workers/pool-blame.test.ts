import { afterEach, expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { ComputingCell } from "../../../src/tools/workers/messages.ts";
import {
  encodeFromToolWorker,
  type FromToolWorker,
  type JobOutcome,
} from "../../../src/tools/workers/messages.ts";
import { WorkerPool } from "../../../src/tools/workers/pool.ts";
import { until } from "../../commands/process/until.ts";

/** A Worker that computes what the test says. */
class FakeWorker {
  readonly jobIds: number[] = [];
  cell = new ComputingCell();
  onmessage: (event: { data: string }) => void = () => {};
  onTerminate = (): void => {};

  postMessage(data: string | SharedArrayBuffer): void {
    if (typeof data !== "string") {
      this.cell = new ComputingCell(data);
      return;
    }
    for (const line of data.split("\n")) {
      const { kind, jobId } = JSON.parse(line) as { kind: string; jobId: number };
      if (kind === "job") this.jobIds.push(jobId);
    }
  }

  say(message: FromToolWorker): void {
    this.onmessage({ data: encodeFromToolWorker(message) });
  }

  /** The id of the job that came as the nth. */
  id(nth: number): number {
    const id = this.jobIds[nth];
    if (id === undefined) throw new Error(`no job came as number ${nth}`);
    return id;
  }

  addEventListener(): void {}

  terminate(): void {
    this.onTerminate();
  }
}

class Harness {
  readonly workers: FakeWorker[] = [];
  readonly outcomes: Record<string, string> = {};
  readonly pool = new WorkerPool({
    createWorker: () => {
      const worker = new FakeWorker();
      this.workers.push(worker);
      return worker as unknown as Worker;
    },
    sizeMax: 1,
  });

  run(name: string, jobMsMax: number, cancellation = new Cancellation()): void {
    this.pool.run(
      {
        source: () => ({
          tool: name,
          args: {},
          version: "2025-11-25",
          limits: { resultCharsMax: 1, answerMs: null },
          snapshots: {},
        }),
        jobMsMax,
        cancellation,
        services: () => Promise.resolve({ ok: true, value: null }),
      },
      (outcome) => (this.outcomes[name] = shown(outcome)),
    );
  }

  /** The nth Worker, ready. */
  async worker(nth: number): Promise<FakeWorker> {
    await until(() => this.workers.length > nth);
    const worker = this.workers[nth];
    if (worker === undefined) throw new Error("no Worker");
    worker.say({ kind: "ready" });
    return worker;
  }
}

/** The result, or how else the job ended. */
function shown(outcome: JobOutcome): string {
  if (outcome.kind === "done") return outcome.json;
  return outcome.kind === "lost" ? outcome.reason : outcome.kind;
}

let harness: Harness;
afterEach(() => harness.pool.close());

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("WorkerPool: time in a Worker's line is nobody's own", async () => {
  harness = new Harness();
  harness.pool.warm();
  const worker = await harness.worker(0);
  harness.run("first", 10_000);
  harness.run("in line", 1);
  await until(() => worker.jobIds.length === 2);
  // It is busy with turn after turn, none of them slow, while the pool looks at it several times.
  const since = performance.now();
  while (performance.now() - since < 60) {
    worker.cell.begin(worker.id(0));
    await turns();
  }
  expect(harness.outcomes).toEqual({});
  worker.say({ kind: "done", jobId: worker.id(0), json: "1" });
  worker.say({ kind: "done", jobId: worker.id(1), json: "2" });
  expect(harness.outcomes).toEqual({
    first: "1",
    "in line": "2",
  });
});

test("WorkerPool: what computes when a Worker is ended is not blamed for a cancelled job", async () => {
  harness = new Harness();
  harness.pool.warm();
  const worker = await harness.worker(0);
  const cancellation = new Cancellation();
  harness.run("cancelled", 10_000, cancellation);
  harness.run("next", 10_000);
  await until(() => worker.jobIds.length === 2);
  worker.onTerminate = () => worker.cell.begin(worker.id(1));
  worker.cell.begin(worker.id(0));
  cancellation.cancel();
  // Turn after turn, so that it never seems slow and the other job stays in its line.
  while (harness.workers.length === 1) {
    worker.cell.begin(worker.id(0));
    await turns();
  }
  const other = await harness.worker(1);
  await until(() => other.jobIds.length === 1);
  other.say({ kind: "done", jobId: other.id(0), json: "2" });
  expect(harness.outcomes).toEqual({
    cancelled: "cancelled",
    next: "2",
  });
});

test("WorkerPool: the overdue job is blamed, and alone", async () => {
  harness = new Harness();
  harness.pool.warm();
  const worker = await harness.worker(0);
  harness.run("overdue", 20);
  await until(() => worker.jobIds.length === 1);
  worker.cell.begin(worker.id(0));
  worker.onTerminate = () => worker.cell.begin(worker.id(0) + 1000);
  harness.run("next", 10_000);
  await until(() => "overdue" in harness.outcomes);
  const other = await harness.worker(1);
  await until(() => other.jobIds.length === 1);
  other.say({ kind: "done", jobId: other.id(0), json: "2" });
  expect(harness.outcomes).toEqual({
    overdue: "it did not finish within 20 ms",
    next: "2",
  });
});
