import { expect, test } from "bun:test";

import { emptySnapshot } from "../../../src/upstream/snapshot.ts";
import { ToolSearch } from "../../../src/upstream/manager/tool-search.ts";
import type { ServerInfo } from "../../../src/upstream/server-state.ts";

const signal = new AbortController().signal;
const query = { query: "x", charsMax: 1_000 };

test("DF8: a server that does not come is waited for once, and again when it was there in between", async () => {
  const mute = { name: "mute", state: "starting", era: null, reason: null, retryInMs: null };
  let servers = [mute];
  const search = new ToolSearch({
    state: () => ({ snapshot: emptySnapshot, searched: [] }),
    infoList: () => servers as unknown as readonly ServerInfo[],
    ownKey: "scorpiox-code",
    waitMs: 100,
  });
  const tookMs = async (): Promise<number> => {
    const before = performance.now();
    await search.answer(query, signal);
    return performance.now() - before;
  };
  expect(await tookMs()).toBeGreaterThanOrEqual(99);
  expect(await tookMs()).toBeLessThan(90);
  servers = [mute, { ...mute, name: "new" }];
  expect(await tookMs()).toBeGreaterThanOrEqual(99);
  servers = [{ ...mute, state: "backoff" }];
  expect(await tookMs()).toBeLessThan(90);
  servers = [mute];
  expect(await tookMs()).toBeGreaterThanOrEqual(99);
});
