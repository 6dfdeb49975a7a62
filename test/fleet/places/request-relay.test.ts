import { expect, setDefaultTimeout, test } from "bun:test";

import { replicaRequestsMax } from "../../../src/base/limits.ts";
import type { CallOutcome, CallRequest } from "../../../src/calls/call.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { noHoldings, PlacedReplica } from "../../support/engines/placed-replica.ts";
import { startRedis } from "../../support/engines/redis.ts";
import { C, tasksCapability, V } from "../../server/harness.ts";

setDefaultTimeout(60_000);

const modern = { [V]: "2026-07-28", [C]: {} };

function toolCall(id: number, params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { id, method: "tools/call", params };
}

function resultOf(text: string): CallOutcome {
  return { kind: "result", json: JSON.stringify({ content: [{ type: "text", text }] }) };
}

/** Answers with its own name and that of the caller. */
function named(name: string) {
  return async (request: CallRequest): Promise<CallOutcome> =>
    resultOf(`${name} ${request.name} ${request.client.owner}`);
}

async function textOf(replied: Promise<unknown>): Promise<unknown> {
  const { result } = (await replied) as { result?: { content?: { text: string }[] } };
  return result?.content?.[0]?.text ?? (await replied);
}

test("a request with a place runs where its principal is held, in both eras; another one where it arrives", async () => {
  await using redis = await startRedis();
  await using first = await PlacedReplica.start(redis.url, named("first"));
  await using second = await PlacedReplica.start(redis.url, named("second"));
  const say = (at: PlacedReplica, who: string, params: Readonly<Record<string, unknown>>) =>
    textOf(at.send(who, toolCall(1, params)).replied.promise);
  expect(await say(first, "anna", { name: "Bash" })).toBe("first Bash anna");
  expect(await say(second, "anna", { name: "Bash" })).toBe("first Bash anna");
  expect(await say(second, "anna", { name: "Bash", _meta: modern })).toBe("first Bash anna");
  expect(await say(second, "anna", { name: "TaskManager" })).toBe("second TaskManager anna");
  expect(await say(second, "ben", { name: "Bash" })).toBe("second Bash ben");
  expect(await say(first, "ben", { name: "Bash" })).toBe("second Bash ben");
});

test("observers of both replicas see a request, and one that traces is the parent of the other", async () => {
  await using redis = await startRedis();
  const metas: unknown[] = [];
  await using first = await PlacedReplica.start(redis.url, async ({ passedMeta }) => {
    metas.push(passedMeta);
    return resultOf("done");
  });
  await using second = await PlacedReplica.start(redis.url, named("second"));
  await first.send("anna", toolCall(1, { name: "Bash" })).replied.promise;
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  second.observer.began = (request) => (request.ownTraceparent = traceparent);
  await second.send("anna", toolCall(2, { name: "Bash" })).replied.promise;
  expect(metas).toEqual([undefined, { traceparent }]);
  expect(first.observer.ends.map(({ request: { replica } }) => replica)).toEqual([
    undefined,
    undefined,
  ]);
  expect(second.observer.ends.map(({ request: { replica } }) => replica)).toEqual([first.id]);
});

test("progress comes in order and before the reply", async () => {
  await using redis = await startRedis();
  await using first = await PlacedReplica.start(redis.url, async ({ onProgress }) => {
    for (let step = 1; step <= 20; step++) onProgress?.({ progress: step });
    return resultOf("done");
  });
  await using second = await PlacedReplica.start(redis.url, named("second"));
  await first.send("anna", toolCall(1, { name: "Bash" })).replied.promise;
  const lane = second.send("anna", toolCall(2, { name: "Bash", _meta: { progressToken: "t" } }));
  expect(await textOf(lane.replied.promise)).toBe("done");
  const steps = lane.texts.map(
    (text) => (JSON.parse(text) as { params: { progress: number } }).params.progress,
  );
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(steps.at(-1)).toBe(20);
});

test("a client that goes cancels the call where it runs", async () => {
  await using redis = await startRedis();
  const cancelled = Promise.withResolvers<CallOutcome>();
  const begun = Promise.withResolvers<void>();
  await using first = await PlacedReplica.start(redis.url, (request) => {
    if (request.args === undefined) return Promise.resolve(resultOf("held"));
    begun.resolve();
    request.cancellation.onCancel(() => cancelled.resolve({ kind: "cancelled" }));
    return cancelled.promise;
  });
  await using second = await PlacedReplica.start(redis.url, named("second"));
  await first.send("anna", toolCall(1, { name: "Bash" })).replied.promise;
  const lane = second.send("anna", toolCall(2, { name: "Bash", arguments: {} }));
  await begun.promise;
  second.cancel("anna");
  expect(await cancelled.promise).toEqual({ kind: "cancelled" });
  expect(await lane.replied.promise).toBeUndefined();
  await eventually("nothing runs there", () => first.relayed.size === 0);
});

test("a client that goes before its call runs there cancels it too", async () => {
  await using redis = await startRedis();
  let running = 0;
  await using first = await PlacedReplica.start(redis.url, (request) => {
    if (request.args === undefined) return Promise.resolve(resultOf("held"));
    const { promise, resolve } = Promise.withResolvers<CallOutcome>();
    running += 1;
    request.cancellation.onCancel(() => {
      running -= 1;
      resolve({ kind: "cancelled" });
    });
    return promise;
  });
  await using second = await PlacedReplica.start(redis.url, named("second"));
  const held = toolCall(1, { name: "Bash" });
  await first.send("anna", held).replied.promise;
  const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  first.beforeConnection = () => {
    arrived.resolve();
    return gate.promise;
  };
  second.send("anna", toolCall(2, { name: "Bash", arguments: {} }));
  await arrived.promise;
  second.cancel("anna");
  // Messages come in order: when the probe is answered, the cancellation is there.
  const later = second.send("anna", held).replied.promise;
  first.fleet.messages.handle("probe", async () => {});
  await second.fleet.messages.request(first.id, "probe", undefined, { msMax: 10_000 });
  gate.resolve();
  expect(await textOf(later)).toBe("held");
  expect(running).toBe(0);
});

test("one principal has its part of the requests at a replica, wherever they arrive", async () => {
  await using redis = await startRedis();
  const waiting: ((outcome: CallOutcome) => void)[] = [];
  const call = ({ args }: CallRequest): Promise<CallOutcome> =>
    args === undefined
      ? Promise.resolve(resultOf("at once"))
      : new Promise((resolve) => waiting.push(resolve));
  const part = 2 / replicaRequestsMax;
  await using first = await PlacedReplica.start(redis.url, call, noHoldings, part);
  await using second = await PlacedReplica.start(redis.url, named("second"));
  await using third = await PlacedReplica.start(redis.url, named("third"));
  const atOnce = { name: "Bash" };
  for (const who of ["anna", "ben"])
    expect(await textOf(first.send(who, toolCall(1, atOnce)).replied.promise)).toBe("at once");
  const long = toolCall(2, { name: "Bash", arguments: { wait: true } });
  const lanes = [second.send("anna", long), third.send("anna", long)];
  await eventually("both run", () => waiting.length === 2);
  const { error } = (await second.send("anna", toolCall(3, atOnce)).replied.promise) as {
    error?: { message: string };
  };
  expect(error?.message).toContain("Too many requests of this user");
  expect(error?.message).toContain("It has not run");
  expect(await textOf(second.send("ben", toolCall(3, atOnce)).replied.promise)).toBe("at once");
  for (const settle of waiting) settle(resultOf("late"));
  for (const lane of lanes) expect(await textOf(lane.replied.promise)).toBe("late");
  expect(await textOf(second.send("anna", toolCall(4, atOnce)).replied.promise)).toBe("at once");
});

test("a question goes to the client through the replica at which the request arrived", async () => {
  await using redis = await startRedis();
  await using first = await PlacedReplica.start(redis.url, async ({ ask, args }) => {
    if (args === undefined) return resultOf("held");
    const form = {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "Name?",
        requestedSchema: { type: "object", properties: { name: { type: "string" } } },
      },
    } as const;
    const answers = await ask?.ask({ name: form });
    return resultOf(JSON.stringify(answers));
  });
  await using second = await PlacedReplica.start(redis.url, named("second"));
  await first.send("anna", toolCall(1, { name: "Bash" })).replied.promise;
  const _meta = { [V]: "2026-07-28", [C]: { elicitation: { form: {} } } };
  const asked = second.send("anna", toolCall(2, { name: "Bash", arguments: {}, _meta }));
  const { result } = (await asked.replied.promise) as { result: Record<string, unknown> };
  expect(result["resultType"]).toBe("input_required");
  const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
  const { requestState } = result;
  const params = { name: "Bash", arguments: {}, _meta, inputResponses, requestState };
  expect(await textOf(second.send("anna", toolCall(3, params)).replied.promise)).toContain("Ada");
});

test.concurrent(
  "when the holder is gone the call says so, and the next one runs elsewhere",
  async () => {
    await using redis = await startRedis();
    const begun = Promise.withResolvers<void>();
    const first = await PlacedReplica.start(redis.url, (request) => {
      if (request.args === undefined) return Promise.resolve(resultOf("held"));
      begun.resolve();
      return new Promise(() => {});
    });
    await using second = await PlacedReplica.start(redis.url, named("second"));
    await first.send("anna", toolCall(1, { name: "Bash" })).replied.promise;
    const lane = second.send("anna", toolCall(2, { name: "Bash", arguments: {} }));
    await begun.promise;
    first.vanish();
    const { error } = (await lane.replied.promise) as { error: { message: string } };
    expect(error.message).toContain(
      "is gone. It may or may not have run: check before you repeat it.",
    );
    expect(await textOf(second.send("anna", toolCall(3, { name: "Bash" })).replied.promise)).toBe(
      "second Bash anna",
    );
  },
);

test.concurrent(
  "a replica that leaves runs on what it has begun, and its principals go to others",
  async () => {
    await using redis = await startRedis();
    await using first = await PlacedReplica.start(redis.url, named("first"));
    await using second = await PlacedReplica.start(redis.url, named("second"));
    await first.send("anna", toolCall(1, { name: "Bash" })).replied.promise;
    await first.relay.leave();
    await first.relayed.settled();
    expect(await textOf(second.send("anna", toolCall(2, { name: "Bash" })).replied.promise)).toBe(
      "second Bash anna",
    );
  },
);

test.concurrent(
  "state of clients is taken over from a replica that is gone, with the time that has passed",
  async () => {
    await using redis = await startRedis();
    const states = new Map<string, unknown>([["principal:anna", { callbacks: 1 }]]);
    const restored: unknown[] = [];
    const first = await PlacedReplica.start(
      redis.url,
      async ({ client }) => {
        first.held.changed(client.id);
        return resultOf("saved");
      },
      { saved: (id) => states.get(id), restore: () => {} },
    );
    await using _second = await PlacedReplica.start(redis.url, named("second"), {
      saved: () => undefined,
      restore: (clientId, state, passedMs) => void restored.push([clientId, state, passedMs >= 0]),
    });
    await first.send("anna", toolCall(1, { name: "SetCallback" })).replied.promise;
    first.vanish();
    await eventually("taken over without a call", () => restored.length > 0);
    expect(restored).toEqual([["principal:anna", { callbacks: 1 }, true]]);
  },
);

test.concurrent(
  "an MCP task is known on every replica, and fails when its replica is gone before its end",
  async () => {
    await using redis = await startRedis();
    let settle: ((outcome: CallOutcome) => void) | undefined;
    const first = await PlacedReplica.start(redis.url, ({ becomeTask, args }) => {
      becomeTask?.({ ttlMs: 60_000 });
      const { wait } = (args ?? {}) as { wait?: boolean };
      if (wait === true) return new Promise((resolve) => (settle = resolve));
      return Promise.resolve(resultOf("ended"));
    });
    await using second = await PlacedReplica.start(redis.url, named("second"));
    const _meta = { [V]: "2026-07-28", [C]: tasksCapability };
    const begin = async (wait: boolean): Promise<string> => {
      const lane = first.send("anna", toolCall(1, { name: "Bash", arguments: { wait }, _meta }));
      const { result } = (await lane.replied.promise) as { result: { taskId: string } };
      return result.taskId;
    };
    const stateOf = async (taskId: string, who = "anna"): Promise<unknown> => {
      const lane = second.send(who, { id: 2, method: "tasks/get", params: { taskId, _meta } });
      const { result, error } = (await lane.replied.promise) as {
        result?: { status: string; error?: { message: string } };
        error?: { message: string };
      };
      return [result?.status ?? error?.message, result?.error?.message];
    };
    const [ended, waiting] = [await begin(false), await begin(true)];
    expect(settle).toBeDefined();
    expect([await stateOf(ended), await stateOf(waiting)]).toEqual([
      ["completed", undefined],
      ["working", undefined],
    ]);
    first.vanish();
    await eventually("the other replica holds the principal", async () => {
      const [status] = (await stateOf(waiting)) as readonly [string];
      return status === "failed";
    });
    expect(await stateOf(ended)).toEqual(["completed", undefined]);
    expect(await stateOf(waiting)).toEqual([
      "failed",
      "The replica that ran this task is gone. The call may or may not have run to its end: check before you repeat it.",
    ]);
    expect(await stateOf(ended, "ben")).toEqual([
      `Invalid params: there is no MCP task ${JSON.stringify(ended)}; it may have expired`,
      undefined,
    ]);
  },
);
