import { afterAll, describe, expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { JsonText } from "../../../src/base/weight.ts";
import { workerQueueMax } from "../../../src/base/limits.ts";
import type { InputKind } from "../../../src/protocol/input-request.ts";
import type { JobOutcome, JobServiceHost } from "../../../src/tools/workers/messages.ts";
import { WorkerPool } from "../../../src/tools/workers/pool.ts";
import { until } from "../../commands/process/until.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const limits = { resultCharsMax: 30_000, answerMs: null };

type Fixture = "broken" | "faulty" | "preempted" | "silent";

/** Each is bundled once: from its sources, every Worker would transpile a hundred files. */
const bundled = new Map<Fixture, string>();
async function bundle(fixture: Fixture): Promise<void> {
  const entry = `${import.meta.dir}/fixtures/${fixture}-worker.ts`;
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "bun" });
  const [code = ""] = await Promise.all(outputs.map((output) => output.text()));
  const blob = new Blob([code], { type: "text/javascript" });
  bundled.set(fixture, URL.createObjectURL(blob));
}
await Promise.all((["broken", "faulty", "preempted", "silent"] as const).map(bundle));
afterAll(() => {
  for (const url of bundled.values()) URL.revokeObjectURL(url);
});

/** A pool of fixture Workers that is closed at the end. */
class PoolHarness {
  readonly lost: string[] = [];
  /** How often the last Worker ended because it had nothing to do. */
  emptied = 0;
  readonly pool: WorkerPool;
  readonly onEmpty: (() => void)[] = [];

  constructor(fixture: Fixture = "faulty", sizeMax = 4, idleLookMs?: number) {
    const url = bundled.get(fixture) ?? "";
    this.pool = new WorkerPool({
      createWorker: () => new Worker(url),
      onWorkerLost: (reason) => this.lost.push(reason),
      onEmpty: () => {
        this.emptied += 1;
        this.onEmpty.shift()?.();
      },
      sizeMax,
      ...(idleLookMs === undefined ? {} : { idleLookMs }),
    });
  }

  run(
    tool: string,
    text = "",
    more: {
      cancellation?: Cancellation;
      services?: JobServiceHost;
      jobMsMax?: number;
      canAsk?: readonly InputKind[];
    } = {},
  ): Promise<JobOutcome> {
    const { promise, resolve } = Promise.withResolvers<JobOutcome>();
    const { canAsk = [] } = more;
    const source = () =>
      ({ tool, args: { text }, version: "2025-11-25", limits, snapshots: {}, canAsk }) as const;
    const services = more.services ?? (() => Promise.resolve({ ok: true, value: null }));
    const cancellation = more.cancellation ?? new Cancellation();
    this.pool.run({ source, jobMsMax: more.jobMsMax ?? null, cancellation, services }, resolve);
    return promise;
  }

  [Symbol.dispose](): void {
    this.pool.close();
  }
}

/** The text of a result, or how else the job ended. */
function shown(outcome: JobOutcome): string {
  if (outcome.kind !== "done")
    return outcome.kind === "lost" ? `lost: ${outcome.reason}` : outcome.kind;
  const { content } = JSON.parse(outcome.json) as { content: { text: string }[] };
  return content[0]?.text ?? "";
}

const tinyGap = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("WorkerPool", () => {
  // What never ends is given a short time; what ends by itself has the usual, for machines are slow.
  const endless = { jobMsMax: 150 };
  const faults: [string, string, RegExp, number, { jobMsMax?: number }?][] = [
    ["an endless loop", "loop", /^lost: it did not finish within 150 ms$/, 1, endless],
    ["an exception out of turn", "throwLater", /^lost: it threw: [^]*out of turn/, 1],
    ["process.exit", "exit", /^lost: it exited with code 3$/, 1],
    [
      "a catastrophic regular expression",
      "regex",
      /^lost: it did not finish within 150 ms$/,
      1,
      endless,
    ],
    ["an exception", "fail", /^fail failed: on purpose$/, 0],
    ["a stack overflow", "overflow", /^overflow failed: Maximum call stack/, 0],
    [
      "100 MB of text",
      "huge",
      /^x{100,}\n\[\.\.\. [\d,]+ of [\d,]+ characters are left out here; the whole could not be saved: ask for less \.\.\.\]\nx{100,}$/,
      0,
    ],
  ];
  test.each(faults)(
    "%s: the call says why, and no other call notices",
    async (_name, tool, reason, lost, more = {}) => {
      using harness = new PoolHarness();
      const replies = Promise.withResolvers<{ ok: true; value: string }>();
      const calls: string[] = [];
      const services: JobServiceHost = ({ method }) => {
        calls.push(method);
        return replies.promise;
      };
      const parked = ["a", "b"].map((text) => harness.run("services", text, { services }));
      await until(() => calls.length === 2);
      const failing = harness.run(tool, "", more);
      const others = ["1", "2", "3"].map((text) => harness.run("echo", text));
      expect(shown(await failing)).toMatch(reason);
      expect((await Promise.all(others)).map(shown)).toEqual(["1", "2", "3"]);
      replies.resolve({ ok: true, value: "v" });
      expect((await Promise.all(parked)).map(shown)).toEqual(['["v","v"]', '["v","v"]']);
      expect(calls.sort()).toEqual([
        "background.run",
        "background.run",
        "background.start",
        "background.start",
      ]);
      expect(harness.lost.length).toBe(lost);
      expect(shown(await harness.run("echo", "after"))).toBe("after");
    },
  );

  test("a parked job whose Worker is lost starts over, and no service is called twice", async () => {
    using harness = new PoolHarness("faulty", 1);
    const second = Promise.withResolvers<{ ok: true; value: string }>();
    const calls: string[] = [];
    const services: JobServiceHost = ({ method }) => {
      calls.push(method);
      return method === "background.start"
        ? second.promise
        : Promise.resolve({ ok: true, value: "one" });
    };
    const parked = harness.run("services", "x", { services });
    await until(() => calls.length === 2);
    expect(shown(await harness.run("exit"))).toBe("lost: it exited with code 3");
    second.resolve({ ok: true, value: "two" });
    expect(shown(await parked)).toBe('["one","two"]');
    expect(calls).toEqual(["background.run", "background.start"]);
  });

  test("a job that starts over does not ask the client again", async () => {
    using harness = new PoolHarness("faulty", 1);
    const run = Promise.withResolvers<{ ok: true; value: string }>();
    const calls: string[] = [];
    const services: JobServiceHost = ({ method }) => {
      calls.push(method);
      return method === "client.ask"
        ? Promise.resolve({ ok: true, value: "answers" })
        : run.promise;
    };
    const parked = harness.run("ask", "x", { services, canAsk: ["roots"] });
    await until(() => calls.length === 2);
    expect(shown(await harness.run("exit"))).toBe("lost: it exited with code 3");
    run.resolve({ ok: true, value: "ran" });
    expect(shown(await parked)).toBe('[false,true,"answers","ran"]');
    expect(calls).toEqual(["client.ask", "background.run"]);
  });

  test("a job that starts over has its page already, and no server is asked twice", async () => {
    using harness = new PoolHarness("faulty", 1);
    const run = Promise.withResolvers<{ ok: true; value: string }>();
    const calls: string[] = [];
    const page = { ok: true as const, value: new JsonText('{"text":"a\\nb"}') };
    const services: JobServiceHost = ({ method }) => {
      calls.push(method);
      return method === "web.fetchPage" ? Promise.resolve(page) : run.promise;
    };
    const parked = harness.run("page", "x", { services });
    await until(() => calls.length === 2);
    expect(shown(await harness.run("exit"))).toBe("lost: it exited with code 3");
    run.resolve({ ok: true, value: "ran" });
    expect(shown(await parked)).toBe('[{"text":"a\\nb"},"ran"]');
    expect(calls).toEqual(["web.fetchPage", "background.run"]);
  });

  test("a service may end its job, whose handler never goes on", async () => {
    using harness = new PoolHarness("faulty", 1);
    const calls: string[] = [];
    const ended: JobOutcome = { kind: "input-required", requests: {}, requestState: "s" };
    const services: JobServiceHost = ({ method }) => {
      calls.push(method);
      return Promise.resolve({ ended });
    };
    const outcomes = await Promise.all([
      harness.run("ask", "", { services }),
      harness.run("ask", "", { services }),
    ]);
    expect(outcomes).toEqual([ended, ended]);
    expect(shown(await harness.run("echo", "after"))).toBe("after");
    expect([calls, harness.lost]).toEqual([["client.ask", "client.ask"], []]);
  });

  test("a Worker that is put aside when it has answered is not blamed for it", async () => {
    using harness = new PoolHarness("preempted", 1);
    expect(shown(await harness.run("echo", "1"))).toBe("1");
    expect(shown(await harness.run("echo", "2"))).toBe("2");
    expect(harness.lost).toEqual([]);
  });

  test("what was taken away from a Worker that computed in a later turn is not begun there", async () => {
    using harness = new PoolHarness("faulty", 2);
    expect(shown(await harness.run("echo", "up"))).toBe("up");
    const outcomes = await Promise.all([
      harness.run("holdLater", "400"),
      harness.run("holdLater", "401"),
    ]);
    expect(outcomes.map(shown)).toEqual(["held 400", "held 401"]);
    expect(shown(await harness.run("holdLater", "402"))).toBe("held 402");
    expect(harness.lost).toEqual([]);
  });

  test("a Worker that was slow once does not make later jobs start over", async () => {
    using harness = new PoolHarness("faulty", 1);
    const calls: string[] = [];
    const services: JobServiceHost = async ({ method }) => {
      calls.push(method);
      await Bun.sleep(30);
      return { ok: true, value: { linesTo: 7 } };
    };
    expect(shown(await harness.run("hold", "20"))).toBe("held 20");
    expect(shown(await harness.run("read", "", { services }))).toBe("7");
    expect(calls).toEqual(["background.read"]);
  });

  test("a service's refusal is the tool's own failure", async () => {
    using harness = new PoolHarness();
    const services: JobServiceHost = () =>
      Promise.resolve({ ok: false, code: "limit", message: "there are too many" });
    expect(shown(await harness.run("services", "x", { services }))).toBe("there are too many");
  });

  test("a queued, a parked and a computing job are cancelled at once", async () => {
    using harness = new PoolHarness("faulty", 1);
    const cancellations = [new Cancellation(), new Cancellation(), new Cancellation()] as const;
    let isParked = false;
    const services: JobServiceHost = () => {
      isParked = true;
      return new Promise(() => {});
    };
    const parked = harness.run("services", "x", { services, cancellation: cancellations[0] });
    await until(() => isParked);
    const computing = harness.run("loop", "", { cancellation: cancellations[1] });
    const queued = harness.run("echo", "", { cancellation: cancellations[2] });
    const after = harness.run("echo", "after");
    await tinyGap();
    for (const cancellation of cancellations) cancellation.cancel();
    const ended = await Promise.all([parked, computing, queued]);
    expect(ended.map(shown)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(shown(await after)).toBe("after");
    // The loop may have been cancelled before it began, and then its Worker lives on.
    expect(["", "its call was cancelled"]).toContain(harness.lost.join());
  });

  test("a job that was cancelled before it came is not run", async () => {
    using harness = new PoolHarness();
    const cancellation = new Cancellation();
    cancellation.cancel();
    expect(shown(await harness.run("exit", "", { cancellation }))).toBe("cancelled");
    expect(harness.pool.size).toBe(0);
  });

  test("grows while jobs wait for slow ones, up to its size; all are answered", async () => {
    using harness = new PoolHarness("faulty", 3);
    const jobs = Array.from({ length: 6 }, () => harness.run("hold", "300"));
    await until(() => harness.pool.size === 3);
    expect((await Promise.all(jobs)).map(shown)).toEqual(Array(6).fill("held 300"));
    expect(harness.pool.size).toBe(3);
    expect(harness.lost).toEqual([]);
  });

  test("a quick job does not wait behind a slow one", async () => {
    using harness = new PoolHarness();
    await harness.run("echo");
    const slow = harness.run("hold", "3000");
    await tinyGap();
    expect(shown(await harness.run("echo", "quick"))).toBe("quick");
    let isSlowDone = false;
    void slow.then(() => (isSlowDone = true));
    await tinyGap();
    expect(isSlowDone).toBe(false);
  });

  test("Workers that never start are given up after three, and tried again with the next job", async () => {
    using harness = new PoolHarness("broken");
    const jobs = await Promise.all([harness.run("echo"), harness.run("echo")]);
    for (const job of jobs)
      expect(shown(job)).toMatch(/^lost: it threw: [^]*broken from the start/);
    expect(harness.lost).toHaveLength(3);
    expect(shown(await harness.run("echo"))).toMatch(/^lost: it threw/);
    expect(harness.lost).toHaveLength(6);
  });

  test("more jobs than may wait are refused with the reason", async () => {
    using harness = new PoolHarness("silent", 1);
    const refused: JobOutcome[] = [];
    const count = workerQueueMax + 64;
    for (let index = 0; index <= count; index++) {
      void harness.run("echo").then((outcome) => outcome.kind === "lost" && refused.push(outcome));
    }
    await until(() => refused.length > 0);
    expect(refused.map(shown)).toEqual([
      `lost: ${workerQueueMax} calls are already waiting; send fewer at a time`,
    ]);
  });

  describe("a pool without jobs", () => {
    test("ends its Workers, the last one too; the next job starts another one", async () => {
      using harness = new PoolHarness("faulty", 3, 1);
      for (const round of [1, 2]) {
        const jobs = [1, 2, 3].map(() => harness.run("hold", "30"));
        expect((await Promise.all(jobs)).map(shown)).toEqual(Array(3).fill("held 30"));
        await until(() => harness.emptied === round);
        expect(harness.pool.size).toBe(0);
      }
      expect(harness.lost).toEqual([]);
    });

    test("ends a Worker that was only warmed", async () => {
      using harness = new PoolHarness("faulty", 3, 1);
      harness.pool.warm();
      await until(() => harness.emptied === 1);
      expect([harness.pool.size, harness.lost]).toEqual([0, []]);
    });

    test("answers a job that comes in the moment of the end", async () => {
      using harness = new PoolHarness("faulty", 3, 1);
      const answered: Promise<string>[] = [];
      const rounds = shareOf(20);
      for (let round = 1; round <= rounds; round++) {
        const text = `${round}`;
        harness.onEmpty.push(() => answered.push(harness.run("echo", text).then(shown)));
      }
      harness.pool.warm();
      await until(() => answered.length === rounds);
      expect(await Promise.all(answered)).toEqual(
        Array.from({ length: rounds }, (_, index) => `${index + 1}`),
      );
      expect(harness.lost).toEqual([]);
    });

    test("answers every job, whenever it comes", async () => {
      using harness = new PoolHarness("faulty", 3, 1);
      for (let job = 0; job < shareOf(150); job++) {
        expect(shown(await harness.run("echo", `${job}`))).toBe(`${job}`);
        for (let turn = 0; turn < job % 30; turn++) await tinyGap();
        if (job % 10 === 0) await until(() => harness.pool.size === 0);
      }
      expect(harness.lost).toEqual([]);
    });

    test("keeps a Worker whose job waits for a service, however long", async () => {
      using harness = new PoolHarness("faulty", 1, 1);
      using other = new PoolHarness("faulty", 1, 1);
      const reply = Promise.withResolvers<{ ok: true; value: string }>();
      const parked = harness.run("services", "x", { services: () => reply.promise });
      other.pool.warm();
      await until(() => other.emptied === 1);
      other.pool.warm();
      await until(() => other.emptied === 2);
      expect(harness.pool.size).toBe(1);
      reply.resolve({ ok: true, value: "v" });
      expect(shown(await parked)).toBe('["v","v"]');
      await until(() => harness.emptied === 1);
      expect(harness.lost).toEqual([]);
    });
  });

  test("close() cancels what is not done; nothing runs after it", async () => {
    const harness = new PoolHarness();
    const running = harness.run("loop");
    await tinyGap();
    harness.pool.close();
    expect(shown(await running)).toBe("cancelled");
    expect(shown(await harness.run("echo"))).toBe("cancelled");
    expect([harness.pool.size, harness.lost]).toEqual([0, []]);
  });
});
