import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { mcpTaskKeysMax } from "../../../src/base/limits.ts";
import type { InputRequest } from "../../../src/protocol/input-request.ts";
import type { Params } from "../../../src/protocol/json-rpc.ts";
import { TaskInputs } from "../../../src/server/tasks/task-inputs.ts";

const roots: InputRequest = { method: "roots/list" };
const sampling: InputRequest = { method: "sampling/createMessage", params: { maxTokens: 1 } };

/** Takes `{ok: …}` only, and gives what is in it. */
function start(): TaskInputs {
  return new TaskInputs((_, answer) => (answer as { ok?: Params }).ok);
}

describe("TaskInputs", () => {
  test("an ask is answered in parts; what is open is shown, and only that", async () => {
    const inputs = start();
    const responses = inputs.ask({ a: roots, b: sampling });
    expect(inputs.requests).toEqual({ a: roots, b: sampling });
    expect(inputs.answer({ b: { ok: { n: 2 } }, unknown: { ok: {} } })).toBe(true);
    expect(inputs.requests).toEqual({ a: roots });
    expect(inputs.answer({ b: { ok: { n: 3 } } })).toBe(false);
    expect(inputs.answer({ a: { ok: { n: 1 } } })).toBe(true);
    expect(inputs.requests).toBeUndefined();
    expect(await responses).toEqual({ a: { n: 1 }, b: { n: 2 } });
  });

  test("several asks at once, with the same names, each get their own answers", async () => {
    const inputs = start();
    const [first, second] = [inputs.ask({ a: roots }), inputs.ask({ a: sampling, "a-2": roots })];
    expect(inputs.requests).toEqual({ a: roots, "a-2": sampling, "a-2-2": roots });
    inputs.answer({ "a-2": { ok: { n: 2 } }, "a-2-2": { ok: { n: 3 } } });
    expect(await second).toEqual({ a: { n: 2 }, "a-2": { n: 3 } });
    inputs.answer({ a: { ok: { n: 1 } } });
    expect(await first).toEqual({ a: { n: 1 } });
  });

  test("a key is never used again, neither for another question nor after a malformed answer", async () => {
    const inputs = start();
    const first = inputs.ask({ a: roots });
    inputs.answer({ a: { bad: 1 } });
    expect(inputs.requests).toEqual({ "a-2": roots });
    expect(inputs.answer({ a: { ok: {} } })).toBe(false);
    inputs.answer({ "a-2": { ok: { n: 1 } } });
    expect(await first).toEqual({ a: { n: 1 } });
    void inputs.ask({ a: roots });
    expect(inputs.requests).toEqual({ "a-3": roots });
  });

  test("nothing asked is answered at once", async () => {
    const inputs = start();
    expect([await inputs.ask({}), inputs.requests]).toEqual([{}, undefined]);
  });

  test("at the end all that is open is given up", async () => {
    const inputs = start();
    const asks = [inputs.ask({ a: roots }), inputs.ask({ b: roots, c: roots })];
    inputs.answer({ b: { ok: {} } });
    inputs.close("over");
    const error = new AppError("cancelled", "over");
    expect(await Promise.allSettled(asks)).toEqual(
      asks.map(() => ({ status: "rejected", reason: error })),
    );
    expect(inputs.requests).toBeUndefined();
  });

  test.each([0, 1])("malformed answers end at %p beyond the bound of questions", async (more) => {
    const inputs = start();
    const other = inputs.ask({ other: roots });
    const asked = inputs.ask({ a: roots });
    let settled = "open";
    asked.catch((error: AppError) => (settled = error.code));
    for (let issued = 2; issued < mcpTaskKeysMax + more; issued += 1) {
      const key = Object.keys(inputs.requests ?? {}).at(-1) ?? "";
      inputs.answer({ [key]: { bad: 1 } });
    }
    await Promise.resolve();
    expect(settled).toBe(more === 0 ? "open" : "limit");
    inputs.answer({ other: { ok: {} } });
    expect(await other).toEqual({ other: {} });
  });

  test("keys of the prototype are ordinary names, and no answer is found under them", () => {
    const inputs = start();
    void inputs.ask({ constructor: roots });
    expect(inputs.answer(JSON.parse('{"__proto__":{"ok":{}},"toString":{"ok":{}}}'))).toBe(false);
    expect(Object.keys(inputs.requests ?? {})).toEqual(["constructor"]);
  });
});
