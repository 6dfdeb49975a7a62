import { expect, test } from "bun:test";

import { upstreamResumeMsMin } from "../../../src/base/upstream-limits.ts";
import { withPatience, withPauses } from "../../../src/upstream/connect/server-fetch.ts";
import { openScripted, toolCall } from "./open-scripted.ts";

test("streams are taken up again at intervals, requests are sent at once", async () => {
  const times: number[] = [];
  const fetchNoted = withPauses(() => {
    times.push(performance.now());
    return Promise.resolve(new Response());
  });
  const start = performance.now();
  let isLater = false;
  setImmediate(() => (isLater = true));
  await fetchNoted("http://a/", { method: "GET" });
  await fetchNoted("http://a/", { method: "POST" });
  expect(isLater).toBe(false);
  await fetchNoted("http://a/", { method: "GET" });
  expect((times[2] ?? 0) - start).toBeGreaterThan(upstreamResumeMsMin - 5);
  const signal = AbortSignal.abort();
  const error: unknown = await fetchNoted("http://a/", { method: "GET", signal }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: "AbortError" });
});

test("what a server does not take is given up", async () => {
  const never = withPatience((_url, init) => {
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("given up")));
    });
  }, 10);
  const error: unknown = await never("http://a/", { method: "POST" }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ message: "given up" });
});

test("a server where calls hang takes no connection that another one needs", async () => {
  await using hanging = await openScripted("http", {});
  await using other = await openScripted("http", {});
  const end = new AbortController();
  const calls = Array.from({ length: 300 }, () =>
    hanging.connection.request(toolCall("hang", {}, { signal: end.signal })).catch(() => {}),
  );
  let ended = 0;
  for (const call of calls) void call.then(() => ended++);
  expect((await other.connection.request(toolCall("echo", { text: "x" }))).kind).toBe("result");
  expect(ended).toBe(0);
  end.abort();
  await Promise.all(calls);
});
