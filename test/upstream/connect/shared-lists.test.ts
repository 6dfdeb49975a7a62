import { expect, test } from "bun:test";

import type { ServerCatalogue } from "../../../src/upstream/connect/connection.ts";
import { SharedLists } from "../../../src/upstream/connect/shared-lists.ts";

function open() {
  const lists = new SharedLists();
  const readings: { signal: AbortSignal; end: PromiseWithResolvers<ServerCatalogue> }[] = [];
  const read = (signal = new AbortController().signal): Promise<ServerCatalogue> =>
    lists.read(signal, (shared) => {
      const end = Promise.withResolvers<ServerCatalogue>();
      readings.push({ signal: shared, end });
      return end.promise;
    });
  return { lists, readings, read };
}

const catalogue = (name: string): ServerCatalogue =>
  ({ serverInfo: { name, version: "1" } }) as ServerCatalogue;

test("readers at about the same time share one reading", async () => {
  const { readings, read } = open();
  const early = [read(), read()];
  readings[0]?.end.resolve(catalogue("one"));
  const all = await Promise.all([...early, read()]);
  expect(all.map(({ serverInfo }) => serverInfo?.name)).toEqual(["one", "one", "one"]);
  expect(readings).toHaveLength(1);
});

test("a change begins another reading, also while one runs", async () => {
  const { lists, readings, read } = open();
  const old = read();
  lists.onChanged();
  const next = [read(), read()];
  expect(readings).toHaveLength(2);
  readings[0]?.end.resolve(catalogue("old"));
  readings[1]?.end.resolve(catalogue("new"));
  expect(await old).toEqual(catalogue("old"));
  const all = await Promise.all([...next, read()]);
  expect(all.map(({ serverInfo }) => serverInfo?.name)).toEqual(["new", "new", "new"]);
});

test("a reader that leaves ends nothing for the others; the last one ends the reading", async () => {
  const { readings, read } = open();
  const [one, other] = [new AbortController(), new AbortController()];
  const [left, last] = [read(one.signal), read(other.signal)];
  one.abort(new Error("left"));
  expect(await left.catch(String)).toBe("Error: left");
  expect(readings[0]?.signal.aborted).toBe(false);
  other.abort(new Error("left too"));
  await last.catch(() => {});
  expect(readings[0]?.signal.aborted).toBe(true);
  void read();
  expect(readings).toHaveLength(2);
});

test("a failed reading is for its readers alone", async () => {
  const { readings, read } = open();
  const failing = [read(), read()];
  readings[0]?.end.reject(new Error("no"));
  const ends = await Promise.allSettled(failing);
  expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  const next = read();
  readings[1]?.end.resolve(catalogue("one"));
  expect(await next).toEqual(catalogue("one"));
});
