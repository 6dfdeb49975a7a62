import { expect, test } from "bun:test";

import { upstreamResumeMsMin } from "../../../src/base/upstream-limits.ts";
import { withPatience, withPauses } from "../../../src/upstream/connect/guarded-fetch.ts";
import { openScripted, toolCall } from "./open-scripted.ts";
import { atThisLoad } from "../../fixtures/at-this-load.ts";

test("streams are taken up again at intervals, requests are sent at once", async () => {
  const times: number[] = [];
  const fetchNoted = withPauses(() => {
    times.push(performance.now());
    return Promise.resolve(new Response());
  });
  const start = performance.now();
  await fetchNoted("http://a/", { method: "GET" });
  await fetchNoted("http://a/", { method: "POST" });
  expect(performance.now() - start).toBeLessThan(upstreamResumeMsMin);
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
  await Bun.sleep(200);
  const start = performance.now();
  expect((await other.connection.request(toolCall("echo", { text: "x" }))).kind).toBe("result");
  expect(performance.now() - start).toBeLessThan(atThisLoad(2_000));
  end.abort();
  await Promise.all(calls);
});
