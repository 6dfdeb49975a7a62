import { expect, test } from "bun:test";

import { SharedWork } from "../../src/base/shared-work.ts";

const patient = new AbortController().signal;

test("SharedWork: one for all who want it; a failure is everybody's", async () => {
  const work = new SharedWork<number>();
  let begun = 0;
  const fail = async (): Promise<number> => {
    begun += 1;
    throw new Error(`failure ${begun}`);
  };
  const both = await Promise.allSettled([
    work.run("a", patient, fail),
    work.run("a", patient, fail),
  ]);
  expect(both.map((one) => one.status === "rejected" && String(one.reason))).toEqual([
    "Error: failure 1",
    "Error: failure 1",
  ]);
  expect(await work.run("a", patient, async () => 5)).toBe(5);
});

test("SharedWork: is given up when the last caller has gone, and begins anew after that", async () => {
  const work = new SharedWork<number>();
  const given: AbortSignal[] = [];
  const forEver = (signal: AbortSignal): Promise<number> => {
    given.push(signal);
    return new Promise(() => {});
  };
  const callers = [new AbortController(), new AbortController()];
  const calls = callers.map(({ signal }) => work.run("a", signal, forEver));
  callers[0]?.abort();
  expect(calls[0]).rejects.toMatchObject({ code: "cancelled" });
  expect(given.map(({ aborted }) => aborted)).toEqual([false]);
  callers[1]?.abort();
  expect(calls[1]).rejects.toMatchObject({ code: "cancelled" });
  expect(given.map(({ aborted }) => aborted)).toEqual([true]);
  expect(await work.run("a", patient, async () => 1)).toBe(1);
  expect(work.run("a", AbortSignal.abort(), forEver)).rejects.toMatchObject({
    code: "cancelled",
  });
  expect(given).toHaveLength(1);
});
