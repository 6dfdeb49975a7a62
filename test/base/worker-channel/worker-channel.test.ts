import { describe, expect, test } from "bun:test";

import { AppError } from "../../../src/base/errors.ts";
import { workerPort } from "../../../src/base/worker-channel/channel-port.ts";
import { JsonText } from "../../../src/base/weight.ts";
import {
  type ChannelParts,
  WorkerChannel,
} from "../../../src/base/worker-channel/worker-channel.ts";
import type { Script } from "./fixtures/scripted-worker.ts";

const url = new URL("./fixtures/scripted-worker.ts", import.meta.url).href;

/** A channel to a Worker of the fixture, and what it has told. */
class Scripted implements AsyncDisposable {
  readonly gone: string[] = [];
  readonly posts: unknown[] = [];
  settled = 0;
  readonly channel: WorkerChannel<unknown, Script, string, unknown, unknown>;

  constructor(parts: Partial<ChannelParts<unknown, string, unknown>> = {}) {
    this.channel = new WorkerChannel({
      port: workerPort(new Worker(url)),
      options: { a: 1 },
      lostText: (reason, context) => `${context} is lost: ${reason}`,
      events: {
        onGone: (reason) => this.gone.push(reason),
        onSettled: () => (this.settled += 1),
        onPost: (post) => this.posts.push(post),
      },
      ...parts,
    });
  }

  call(script: Script, signal?: AbortSignal): Promise<unknown> {
    return this.channel.call(script, script.do, signal);
  }

  /** The code and message of the failure. */
  async failure(script: Script, signal?: AbortSignal): Promise<[string, string]> {
    return failureOf(this.call(script, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.channel.failAll(new AppError("cancelled", "The test is over."));
    await this.channel.close(5_000);
  }
}

async function failureOf(call: Promise<unknown>): Promise<[string, string]> {
  const error = await call.then(
    () => new Error("it was answered"),
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? [error.code, error.message] : ["", String(error)];
}

describe("a call", () => {
  const replies: [string, Script, unknown][] = [
    ["a value", { do: "echo", value: { ü: [1, null] } }, { ü: [1, null] }],
    ["JSON that is passed on", { do: "raw", json: '{"b": 1}' }, new JsonText('{"b": 1}')],
    ["the options", { do: "options" }, { a: 1 }],
  ];
  test.each(replies)("is answered with %s", async (_name, script, value) => {
    await using scripted = new Scripted();
    expect(await scripted.call(script)).toEqual(value);
    expect([scripted.settled, scripted.channel.size]).toEqual([1, 0]);
  });

  const failures: [string, Script, [string, string]][] = [
    ["refuses", { do: "refuse", code: "limit", text: "no" }, ["limit", "no"]],
    ["throws", { do: "throw", text: "oh" }, ["system", "oh"]],
    ["exits", { do: "exit", code: 3 }, ["worker", "exit is lost: it exited with code 3"]],
  ];
  test.each(failures)("fails where the Worker %s", async (_name, script, failure) => {
    await using scripted = new Scripted();
    expect(await scripted.failure(script)).toEqual(failure);
  });

  test("side by side are answered each with its own", async () => {
    await using scripted = new Scripted();
    const values = Array.from({ length: 500 }, (_, place) => place);
    const calls = values.map((value) => scripted.call({ do: "echo", value }));
    expect(await Promise.all(calls)).toEqual(values);
  });

  test("that is cancelled fails at once, and the Worker learns of it", async () => {
    await using scripted = new Scripted();
    const controller = new AbortController();
    const waiting = scripted.failure({ do: "wait" }, controller.signal);
    expect(scripted.channel.contextOf(1)).toBe("wait");
    controller.abort();
    expect(await waiting).toEqual(["cancelled", "The call was cancelled."]);
    expect(scripted.channel.contextOf(1)).toBeUndefined();
    expect(await scripted.call({ do: "cancelled" })).toEqual([1]);
    const late = await scripted.failure({ do: "echo", value: 1 }, controller.signal);
    expect(late).toEqual(["cancelled", "The call was cancelled."]);
  });

  test("that is late is cancelled where there is a text for it", async () => {
    const deadline = { msMax: 50, lateText: (context: string) => `${context} is late` };
    await using scripted = new Scripted({ deadline });
    expect(await scripted.failure({ do: "wait" })).toEqual(["worker", "wait is late"]);
    expect(scripted.gone).toEqual([]);
  });

  test("that is late costs the Worker its life where there is none", async () => {
    await using scripted = new Scripted({ deadline: { msMax: 50 } });
    const reason = "it did not answer in time";
    expect(await scripted.failure({ do: "wait" })).toEqual(["worker", `wait is lost: ${reason}`]);
    expect(scripted.gone).toEqual([reason]);
    const after = await scripted.failure({ do: "options" });
    expect(after).toEqual(["worker", "options is lost: it has ended"]);
  });
});

describe("a Worker", () => {
  test("that is lost is told of once, before its calls fail", async () => {
    await using scripted = new Scripted();
    const waiting = scripted.failure({ do: "wait" });
    await scripted.failure({ do: "exit", code: 1 });
    const reason = "it exited with code 1";
    expect([await waiting, scripted.gone]).toEqual([
      ["worker", `wait is lost: ${reason}`],
      [reason],
    ]);
  });

  test.each([[true], [false]])("that hangs is given up (asked when idle: %p)", async (isSteady) => {
    const heartbeat = { lookMs: 20, silentLooksMax: 3, isSteady };
    await using scripted = new Scripted({ heartbeat });
    const failure = await scripted.failure({ do: "hang", ms: 3_000 });
    expect(failure).toEqual(["worker", "hang is lost: it hung"]);
    expect(scripted.gone).toEqual(["it hung"]);
  });

  test("that works on something of its own is alive", async () => {
    const heartbeat = { lookMs: 5, silentLooksMax: 200, isSteady: false };
    await using scripted = new Scripted({ heartbeat });
    await scripted.call({ do: "options" });
    const waiting = scripted.failure({ do: "wait" });
    await scripted.call({ do: "hang", ms: 50 });
    expect(scripted.gone).toEqual([]);
    await scripted.channel.close(5_000);
    expect((await waiting)[0]).toBe("worker");
  });

  test("takes posts and sends them, before what it answers later", async () => {
    await using scripted = new Scripted();
    scripted.channel.post({ b: 1 });
    scripted.channel.post([2]);
    await scripted.call({ do: "options" });
    expect(scripted.posts).toEqual([{ b: 1 }, [2]]);
  });
});

describe("the end", () => {
  test("waits for the Worker, which has ended its calls", async () => {
    const scripted = new Scripted();
    const waiting = failureOf(scripted.call({ do: "wait" }));
    await scripted.call({ do: "options" });
    await scripted.channel.close(5_000);
    expect(scripted.posts).toEqual([{ cancelled: [1] }]);
    expect(await waiting).toEqual(["worker", "wait is lost: the server is shutting down"]);
    expect(scripted.gone).toEqual([]);
    await scripted.channel.close(5_000);
  });

  test("does not wait longer than it may", async () => {
    const scripted = new Scripted();
    await scripted.call({ do: "options" });
    const hanging = scripted.failure({ do: "hang", ms: 2_000 });
    await scripted.channel.close(10);
    expect((await hanging)[0]).toBe("worker");
    expect(scripted.gone).toEqual([]);
  });
});
