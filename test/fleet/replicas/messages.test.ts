import { expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { AppError, failureOf } from "../../../src/base/errors.ts";
import { FleetSecret } from "../../../src/fleet/engine/fleet-secret.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { fleetKey, startReplica } from "../../support/engines/fleet.ts";
import { startRedis } from "../../support/engines/redis.ts";

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    return failureOf(error);
  }
}

test("Messages.request brings the handler's answer or its failure, each its own", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  await using second = await startReplica(redis.url);
  second.messages.handle("double", async (body) => ({ doubled: Number(body) * 2 }));
  second.messages.handle("fail", async (body) => {
    throw new AppError("not_found", `no ${String(body)}`);
  });
  const to = second.replica.id;
  const options = { msMax: 10_000 };
  const numbers = Array.from({ length: 500 }, (_, n) => n);
  const answers = await Promise.all(
    numbers.map((n) => first.messages.request(to, "double", n, options)),
  );
  expect(answers).toEqual(numbers.map((n) => ({ doubled: n * 2 })));
  expect(await outcomeOf(first.messages.request(to, "fail", "x", options))).toEqual({
    code: "not_found",
    message: "no x",
  });
  expect(await outcomeOf(first.messages.request(to, "other", "x", options))).toEqual({
    code: "unsupported",
    message: "This replica does not know messages of kind other.",
  });
  // Both ways, and to itself.
  first.messages.handle("name", async () => "first");
  expect(await second.messages.request(first.replica.id, "name", null, options)).toBe("first");
  expect(await first.messages.request(first.replica.id, "name", null, options)).toBe("first");
  const inbox = `scorpiox:test:1:inbox:${to}`;
  await eventually(
    "the read messages are removed",
    async () => (await redis.send("XLEN", inbox)) === 0,
  );
});

test("U-letters: a flood of messages that nobody has signed is warned of a few times", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  await using second = await startReplica(redis.url);
  const heard: unknown[] = [];
  second.messages.handle("note", async (body) => void heard.push(body));
  const inbox = `scorpiox:test:1:inbox:${second.replica.id}`;
  for (let number = 0; number < 50; number += 1) await redis.send("XADD", inbox, "*", "m", "{}");
  await first.messages.notify(second.replica.id, "note", "genuine");
  await eventually("the genuine one", () => heard.length === 1);
  expect(second.warnings).toHaveLength(3);
  second.messages[Symbol.dispose]();
  expect(second.warnings.at(-1)).toContain("(47 times more)");
});

test("Messages.notify keeps the order", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  await using second = await startReplica(redis.url);
  const heard: unknown[] = [];
  second.messages.handle("note", async (body) => void heard.push(body));
  const notes = Array.from({ length: 2_000 }, (_, n) => n);
  await Promise.all(notes.map((n) => first.messages.notify(second.replica.id, "note", n)));
  await eventually("all are there", () => heard.length === notes.length);
  expect(heard).toEqual(notes);
});

test("Messages.request fails at once when the replica is gone, and when it goes meanwhile", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  const second = await startReplica(redis.url);
  const to = second.replica.id;
  let began = 0;
  second.messages.handle("wait", () => {
    began += 1;
    return new Promise(() => {});
  });
  await first.replica.renew();
  const waiting = outcomeOf(first.messages.request(to, "wait", null, { msMax: 60_000 }));
  await eventually("it runs", () => began === 1);
  await second[Symbol.asyncDispose]();
  await redis.send("HDEL", "scorpiox:test:1:clock", "grace");
  await first.replica.renew();
  const gone = { code: "system", message: `The replica ${to} is gone.` };
  expect(await waiting).toEqual(gone);
  expect(await outcomeOf(first.messages.request(to, "wait", null, { msMax: 60_000 }))).toEqual(
    gone,
  );
});

test("U-letters: a request that has waited for too long is not run, and a cancelled one is cancelled there", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  const second = await startReplica(redis.url);
  const ran: unknown[] = [];
  const handle = (messages: typeof second.messages): void => {
    messages.handle("run", async (body) => void ran.push(body));
  };
  handle(second.messages);
  // Written by hand, as one that lay there for longer than its time, and one that comes again.
  const inbox = `scorpiox:test:1:inbox:${second.replica.id}`;
  const seal = new FleetSecret(() => fleetKey);
  const put = async (letter: object, purpose = inbox): Promise<void> => {
    const text = seal.sign(JSON.stringify(letter), purpose);
    await redis.send("XADD", inbox, "*", "m", text);
  };
  const now = second.replica.engineNow();
  const letter = { from: "aaaaaaaaaa", kind: "run", body: "late", number: 1, until: now - 1 };
  await put(letter);
  const again = { ...letter, body: "once", until: now + 60_000, number: 2 };
  for (const each of [again, again, { ...again, number: 1 }]) await put(each);
  // Signed for another replica, not signed at all, and signed but of no form.
  await put({ ...again, number: 3 }, "scorpiox:test:1:inbox:other");
  await redis.send("XADD", inbox, "*", "m", JSON.stringify({ ...again, number: 4 }));
  await put({ from: 1 });
  await eventually("all were read", () => second.warnings.length === 3);
  expect(ran).toEqual(["once"]);
  let isCancelled = false;
  first.messages.handle("wait", (_, { cancellation }) => {
    cancellation.onCancel(() => (isCancelled = true));
    return new Promise(() => {});
  });
  const cancellation = new Cancellation();
  const waiting = outcomeOf(
    second.messages.request(first.replica.id, "wait", null, { msMax: 60_000, cancellation }),
  );
  await second.messages
    .request(first.replica.id, "nothing", null, { msMax: 60_000 })
    .catch(() => {});
  cancellation.cancel();
  expect(await waiting).toEqual({ code: "cancelled", message: "The call was cancelled." });
  await eventually("it was told", () => isCancelled);
  await second[Symbol.asyncDispose]();
});

test("Messages refuses what is too long, in both directions", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  await using second = await startReplica(redis.url);
  second.messages.handle("length", async (body) => String(body).length);
  second.messages.handle("text", async (body) => "x".repeat(Number(body)));
  const to = second.replica.id;
  const options = { msMax: 20_000 };
  const large = 16 * 1024 * 1024;
  expect(await first.messages.request(to, "length", "x".repeat(large), options)).toBe(large);
  expect(
    await outcomeOf(first.messages.request(to, "length", "x".repeat(large * 2), options)),
  ).toMatchObject({
    code: "limit",
  });
  expect(await outcomeOf(first.messages.request(to, "text", large * 2, options))).toMatchObject({
    code: "limit",
  });
});

test("Messages go on after the engine was away", async () => {
  await using redis = await startRedis();
  await using first = await startReplica(redis.url);
  await using second = await startReplica(redis.url);
  second.messages.handle("echo", async (body) => body);
  const to = second.replica.id;
  expect(await first.messages.request(to, "echo", 1, { msMax: 5_000 })).toBe(1);
  await redis.kill();
  await eventually("the engine is away", () => !first.engine.isWell);
  expect(await outcomeOf(first.messages.request(to, "echo", 2, { msMax: 5_000 }))).toMatchObject({
    code: "system",
    message: expect.stringContaining(`Redis at 127.0.0.1:${redis.port}`) as string,
  });
  await redis.start();
  await eventually("both are back", () => first.engine.isWell && second.engine.isWell);
  expect(await first.messages.request(to, "echo", 3, { msMax: 10_000 })).toBe(3);
});
