import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { AppError } from "../../../src/base/errors.ts";
import type { StateScope } from "../../../src/base/server-events.ts";
import { ownValue } from "../../../src/base/values.ts";
import type { StoreCall } from "../../../src/state/store/store-methods.ts";
import type { TaskRequest } from "../../../src/state/store/tasks/task-records.ts";
import { shareOf } from "../../fixtures/long-run.ts";
import { hasPostgres } from "../../support/engines/postgres.ts";
import { type StoreEngine, storeEngines } from "./engines.ts";

const runs = shareOf(40);

const texts = fc.oneof(
  fc.constantFrom("a", "b c", " ", "", "Größe", "ﬁx", "x".repeat(10_001), "y".repeat(300)),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const ids = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(0, -1, 2 ** 31, 2 ** 53 - 1));
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.option(value, { nil: null, freq: 2 });
const words = fc.array(texts, { maxLength: 2 });
const charsMax = fc.constantFrom(200, 30_000);

const taskRequests: fc.Arbitrary<TaskRequest> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ action: fc.constant("create" as const), text: texts }) },
  {
    weight: 3,
    arbitrary: fc.record({ action: fc.constant("add" as const), taskId: maybe(ids), text: texts }),
  },
  fc.record({ action: fc.constant("complete" as const), taskId: maybe(ids), stepId: maybe(ids) }),
  fc.record({ action: fc.constantFrom("list" as const, "pending" as const), words, charsMax }),
  fc.record({ action: fc.constant("switch" as const), taskId: maybe(ids), words, charsMax }),
);

const steps = fc.array(fc.record({ text: texts, isDone: fc.boolean() }), { maxLength: 3 });
const transferred = fc.record({ text: texts, isDone: fc.boolean(), steps });
const moments = fc.constantFrom(0, 1_764_000_000_000, 2 ** 53 - 1);
const goals = texts.map((text) => text.replaceAll("\0", ""));
const plans = fc.record({ goal: goals, planFile: goals, startedAtMs: moments });

/** Without what no text of ours has: a workspace is a path, an owner a label. */
const names = fc.constantFrom("", "/w", "somebody's", "日本");

const documents = fc.constantFrom("a", "b", "c");
const scope = fc.record({ workspace: names, owner: names });
const calls: fc.Arbitrary<StoreCall> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      method: fc.constant("tasks.perform" as const),
      request: fc.record({ scope, request: taskRequests }),
    }),
  },
  fc.record({
    method: fc.constant("tasks.import" as const),
    request: fc.record({ scope, tasks: fc.array(transferred, { maxLength: 3 }) }),
  }),
  fc.record({ method: fc.constant("tasks.export" as const), request: fc.record({ scope }) }),
  fc.record({
    method: fc.constant("tasks.revisions" as const),
    request: fc.record({ scopes: fc.array(scope, { maxLength: 3 }) }),
  }),
  fc.record({
    method: fc.constant("states.use" as const),
    request: fc.record({ use: documents, expiresAtMs: moments }),
  }),
  fc.record({
    method: fc.constantFrom(
      "documents.get" as const,
      "documents.version" as const,
      "documents.take" as const,
    ),
    request: fc.record({ name: documents }),
  }),
  fc.record({
    method: fc.constant("documents.put" as const),
    request: fc.record({ name: documents, version: maybe(fc.nat(3)), content: goals }),
  }),
  fc.record({ method: fc.constant("plans.get" as const), request: fc.record({ scope }) }),
  fc.record({
    method: fc.constant("plans.set" as const),
    request: fc.record({ scope, plan: plans }),
  }),
  fc.record({
    method: fc.constant("plans.clear" as const),
    request: fc.record({ scope, startedAtMs: maybe(moments) }),
  }),
);

/** Each run has scopes of its own. */
function inRun(call: StoreCall, run: number): StoreCall {
  const { request } = call;
  const own = ({ workspace, owner }: StateScope): StateScope => {
    return { workspace: `${run} ${workspace}`, owner };
  };
  const scoped = {
    ...request,
    ...("scope" in request && { scope: own(request.scope) }),
    ...("scopes" in request && { scopes: request.scopes.map(own) }),
    ...("name" in request && { name: `${run} ${request.name}` }),
    ...("use" in request && { use: `${run} ${request.use}` }),
  };
  return ownValue({ ...call, request: scoped });
}

async function answer(engine: StoreEngine, call: StoreCall): Promise<unknown> {
  try {
    return await engine.call(call);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, message: error.message };
  }
}

describe.skipIf(!hasPostgres)("engines", () => {
  test("the same requests, in the same order, have the same answers", async () => {
    const engines = await Promise.all(storeEngines.map(([, open]) => open()));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(calls, { maxLength: 60, size: "max" }), async (sequence) => {
        run += 1;
        for (const call of sequence) {
          const mine = inRun(call, run);
          const [first, ...others] = await Promise.all(
            engines.map((engine) => answer(engine, mine)),
          );
          for (const other of others) expect(other).toEqual(first);
        }
      }),
      { numRuns: runs },
    );
    for (const engine of engines) await engine[Symbol.asyncDispose]();
  });
});
