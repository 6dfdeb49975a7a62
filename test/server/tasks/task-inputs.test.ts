import { describe, expect, test } from "bun:test";
import { AppError } from "../../../src/base/errors.ts";
import { mcpTaskKeysMax } from "../../../src/base/limits.ts";
import type { InputRequest } from "../../../src/protocol/input-request.ts";
import type { Params } from "../../../src/protocol/json-rpc.ts";
import { TaskInputs } from "../../../src/server/tasks/task-inputs.ts";

const roots: InputRequest = { method: "roots/list" };
const other: InputRequest = { method: "roots/list" };

/** An answer that fits, recognisable by its number. */
const good = (number: number): Params => ({ roots: [{ uri: `file:///${number}` }] });
const malformed = { roots: "none" };

describe("TaskInputs", () => {
  test("an ask is answered in parts; what is open is shown, and only that", async () => {
    const inputs = new TaskInputs();
    const responses = inputs.ask({ a: roots, b: other });
    expect(inputs.requests).toEqual({ a: roots, b: other });
    expect(inputs.answer({ b: good(2), unknown: good(0) })).toBe(true);
    expect(inputs.requests).toEqual({ a: roots });
    expect(inputs.answer({ b: good(3) })).toBe(false);
    expect(inputs.answer({ a: good(1) })).toBe(true);
    expect(inputs.requests).toBeUndefined();
    expect(await responses).toEqual({ a: good(1), b: good(2) });
  });

  test("several asks at once, with the same names, each get their own answers", async () => {
    const inputs = new TaskInputs();
    const [first, second] = [inputs.ask({ a: roots }), inputs.ask({ a: other, "a-2": roots })];
    expect(inputs.requests).toEqual({ a: roots, "a-2": other, "a-2-2": roots });
    inputs.answer({ "a-2": good(2), "a-2-2": good(3) });
    expect(await second).toEqual({ a: good(2), "a-2": good(3) });
    inputs.answer({ a: good(1) });
    expect(await first).toEqual({ a: good(1) });
  });

  test("a key is never used again, neither for another question nor after a malformed answer", async () => {
    const inputs = new TaskInputs();
    const first = inputs.ask({ a: roots });
    inputs.answer({ a: malformed });
    expect(inputs.requests).toEqual({ "a-2": roots });
    expect(inputs.answer({ a: good(0) })).toBe(false);
    inputs.answer({ "a-2": good(1) });
    expect(await first).toEqual({ a: good(1) });
    void inputs.ask({ a: roots });
    expect(inputs.requests).toEqual({ "a-3": roots });
  });

  test("nothing asked is answered at once", async () => {
    const inputs = new TaskInputs();
    expect([await inputs.ask({}), inputs.requests]).toEqual([{}, undefined]);
  });

  test("at the end all that is open is given up", async () => {
    const inputs = new TaskInputs();
    const asks = [inputs.ask({ a: roots }), inputs.ask({ b: roots, c: roots })];
    inputs.answer({ b: good(0) });
    inputs.close("over");
    const error = new AppError("cancelled", "over");
    expect(await Promise.allSettled(asks)).toEqual(
      asks.map(() => ({ status: "rejected", reason: error })),
    );
    expect(inputs.requests).toBeUndefined();
  });

  test.each([0, 1])("malformed answers end at %p beyond the bound of questions", async (more) => {
    const inputs = new TaskInputs();
    const first = inputs.ask({ other: roots });
    const asked = inputs.ask({ a: roots });
    let settled = "open";
    asked.catch((error: AppError) => (settled = error.code));
    for (let issued = 2; issued < mcpTaskKeysMax + more; issued += 1) {
      const key = Object.keys(inputs.requests ?? {}).at(-1) ?? "";
      inputs.answer({ [key]: malformed });
    }
    await Promise.resolve();
    expect(settled).toBe(more === 0 ? "open" : "limit");
    inputs.answer({ other: good(0) });
    expect(await first).toEqual({ other: good(0) });
  });

  test("keys of the prototype are ordinary names, and no answer is found under them", () => {
    const inputs = new TaskInputs();
    void inputs.ask({ constructor: roots });
    expect(inputs.answer(JSON.parse('{"__proto__":{"roots":[]},"toString":{"roots":[]}}'))).toBe(
      false,
    );
    expect(Object.keys(inputs.requests ?? {})).toEqual(["constructor"]);
  });
});
