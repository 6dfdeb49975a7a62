import { describe, expect, test } from "bun:test";
import {
  completionArgumentsMax,
  completionCharsMax,
  completionsPerSecondMax,
} from "../../src/base/limits.ts";
import { everyFeature, FakeCompletion } from "./fake-features.ts";
import { error, modern, request, result, startSession } from "./harness.ts";

const ref = { type: "ref/prompt", name: "greet" };
const argument = { name: "who", value: "m" };
const long = "x".repeat(completionCharsMax);

function complete(params: unknown): unknown {
  return request(1, "completion/complete", params);
}

function manyArguments(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, number) => [`a${number}`, ""]));
}

describe("completion/complete", () => {
  test.each([
    ["2024-11-05", {}],
    ["2025-03-26", {}],
    ["2025-06-18", { tone: "loud" }],
    ["2025-11-25", { tone: "loud" }],
  ])("%s: the provider is told of other arguments %j", async (version, others) => {
    const completion = new FakeCompletion();
    const { exchange } = await startSession(version, {}, { completion });
    const params = { ref, argument, context: { arguments: { tone: "loud" } } };
    expect(await exchange(1, complete(params))).toEqual([
      result(1, { completion: { values: ["one", "two"], total: 2, hasMore: false } }),
    ]);
    expect(completion.asked).toEqual([
      { ref: { kind: "prompt", name: "greet" }, argumentName: "who", typed: "m", others },
    ]);
  });

  test("a template that is not there is -32602", async () => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    const params = { ref: { type: "ref/resource", uri: "test://{id}" }, argument };
    expect(await exchange(1, complete(params))).toEqual([
      error(1, -32602, "Invalid params: ref names nothing that can be completed"),
    ]);
  });

  test.each([
    [{ ref, argument: { name: long, value: long } }],
    [{ ref, argument, context: {} }],
    [{ ref, argument, context: { arguments: manyArguments(completionArgumentsMax) } }],
    [{ ref, argument, context: { arguments: { a: long } } }],
  ])("takes what is within the bounds", async (params) => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    const [reply] = await exchange(1, complete(params));
    expect(reply).toHaveProperty("result");
  });

  test.each([
    [undefined],
    [{ argument }],
    [{ ref: "greet", argument }],
    [{ ref: { type: "ref/tool", name: "x" }, argument }],
    [{ ref: { type: "ref/prompt" }, argument }],
    [{ ref: { type: "ref/resource", name: "x" }, argument }],
    [{ ref }],
    [{ ref, argument: { name: "who" } }],
    [{ ref, argument: { name: 1, value: "" } }],
    [{ ref, argument: { name: "who", value: `${long}x` } }],
    [{ ref, argument, context: null }],
    [{ ref, argument, context: { arguments: [] } }],
    [{ ref, argument, context: { arguments: { a: 1 } } }],
    [{ ref, argument, context: { arguments: { a: `${long}x` } } }],
    [{ ref, argument, context: { arguments: manyArguments(completionArgumentsMax + 1) } }],
  ])("refuses what is malformed or too much (%#)", async (params) => {
    const completion = new FakeCompletion();
    const { exchange } = await startSession("2025-06-18", {}, { completion });
    const [reply] = await exchange(1, complete(params));
    expect(reply).toMatchObject({ error: { code: -32602 } });
    expect(completion.asked).toEqual([]);
  });

  test("is bounded in its rate, in both eras together", async () => {
    const { exchange } = await startSession("2025-06-18", {}, everyFeature());
    // More than two seconds' worth: however the seconds fall, some are too many.
    const count = 4 * completionsPerSecondMax;
    const messages = Array.from({ length: count }, (_, id) =>
      id % 2 === 0
        ? request(id, "completion/complete", { ref, argument })
        : modern(id, "completion/complete", { ref, argument }),
    );
    const replies = (await exchange(count, ...messages)) as { error?: { code: number } }[];
    const refused = replies.filter((reply) => reply.error !== undefined);
    expect(refused.length).toBeGreaterThan(0);
    expect(replies.length - refused.length).toBeGreaterThanOrEqual(completionsPerSecondMax);
    expect(refused.every((reply) => reply.error?.code === -32603)).toBe(true);
  });
});
