import { expect, test } from "bun:test";

import { emptySnapshot } from "../../../src/upstream/snapshot.ts";
import { ToolSearch } from "../../../src/upstream/manager/tool-search.ts";
import type { ServerInfo } from "../../../src/upstream/server-state.ts";

const signal = new AbortController().signal;
const query = { query: "x", charsMax: 1_000 };

test("DF8: a server that does not come is waited for once, and again when it was there in between", async () => {
  const mute = { name: "mute", state: "starting", era: null, reason: null, retryInMs: null };
  let servers = [mute];
  let looks = 0;
  const search = new ToolSearch({
    state: () => ({ snapshot: emptySnapshot, searched: [] }),
    infoList: () => {
      looks++;
      return servers as unknown as readonly ServerInfo[];
    },
    ownKey: "scorpiox-code",
    waitMs: 100,
  });
  const tookMs = async (): Promise<number> => {
    const before = performance.now();
    await search.answer(query, signal);
    return performance.now() - before;
  };
  /** Answers without a wait: it looks for servers to wait for, for those to give up, and for the reply. */
  const isImmediate = async (): Promise<boolean> => {
    looks = 0;
    await search.answer(query, signal);
    return looks === 3;
  };
  expect(await tookMs()).toBeGreaterThanOrEqual(99);
  expect(await isImmediate()).toBe(true);
  servers = [mute, { ...mute, name: "new" }];
  expect(await tookMs()).toBeGreaterThanOrEqual(99);
  servers = [{ ...mute, state: "backoff" }];
  expect(await isImmediate()).toBe(true);
  servers = [mute];
  expect(await tookMs()).toBeGreaterThanOrEqual(99);
});
