import { expect, test } from "bun:test";

import { askServers } from "../../../src/interact/attach/client/server-directory.ts";
import { AttachHarness, emptyState } from "./attach-harness.ts";

test("a server that answers is listed, one that has ended is not", async () => {
  await using harness = new AttachHarness();
  const { pid } = await harness.open();
  const { servers, problems } = await askServers(harness.runFolder);
  expect(servers.map(({ facts, state }) => [facts.pid, state])).toEqual([[pid, emptyState]]);
  expect(problems).toEqual([]);
  await harness.server?.[Symbol.asyncDispose]();
  expect(await askServers(harness.runFolder)).toEqual({ servers: [], problems: [] });
});

test("a server that runs and closes the connection is a problem", async () => {
  await using harness = new AttachHarness();
  harness.isOwnUser = () => false;
  await harness.open();
  const { servers, problems } = await askServers(harness.runFolder);
  expect(servers).toEqual([]);
  expect(problems).toEqual([expect.stringContaining("closed the connection")]);
});
