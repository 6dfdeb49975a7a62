import { expect, test } from "bun:test";

import type {
  ServerCatalogue,
  UpstreamConnection,
} from "../../../src/upstream/connect/connection.ts";
import { ListReader } from "../../../src/upstream/manager/server-offer.ts";
import { catalogue } from "../trust/catalogue.ts";

/** A connection whose lists come when they are told to. */
function connectionOf(lists: Promise<ServerCatalogue>): UpstreamConnection {
  return { readCatalogue: () => lists } as unknown as UpstreamConnection;
}

function readerOf(firstLookMs: number): ListReader {
  return new ListReader({
    onRead: () => Promise.resolve(),
    onFailure: () => {},
    use: () => () => {},
    firstLookMs,
  });
}

test.each<
  [string, number, (lists: ReturnType<typeof Promise.withResolvers<ServerCatalogue>>) => void]
>([
  ["they are read", 60_000, ({ resolve }) => resolve(catalogue())],
  ["they cannot be", 60_000, ({ reject }) => reject(new Error("no lists"))],
  ["they are kept back for too long", 1, () => {}],
])("GW-22: the lists of a new connection are waited for until %s", async (_until, ms, come) => {
  const lists = Promise.withResolvers<ServerCatalogue>();
  const connection = connectionOf(lists.promise);
  const reader = readerOf(ms);
  reader.begin(connection);
  expect(reader.firstReading(connectionOf(lists.promise))).toBeUndefined();
  const reading = reader.firstReading(connection);
  expect(reading).toBeDefined();
  come(lists);
  await reading;
  expect(reader.firstReading(connection)).toBeUndefined();
  reader.end();
});

test("GW-22: who waits for the lists of a connection that is lost is let go", async () => {
  const lists = Promise.withResolvers<ServerCatalogue>();
  const connection = connectionOf(lists.promise);
  const reader = readerOf(60_000);
  reader.begin(connection);
  const reading = reader.firstReading(connection);
  reader.end();
  expect(reader.firstReading(connection)).toBeUndefined();
  lists.reject(new Error("it was lost"));
  await reading;
});
