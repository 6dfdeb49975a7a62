import { describe, expect, test } from "bun:test";

import { AppError } from "../../../src/base/errors.ts";
import { PageCache } from "../../../src/web/pages/page-cache.ts";
import { PageLoader } from "../../../src/web/pages/page-loader.ts";
import { withinDeadline } from "../../../src/web/pages/read-capped.ts";
import { failureOf, never } from "./page-harness.ts";

const late = (): AppError => new AppError("limit", "too late");

/** Fails as it is told when its signal says that it shall end. */
const endingWith =
  (error: unknown) =>
  (signal: AbortSignal): Promise<never> =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(error)));

const stuck = (): Promise<never> => new Promise(() => {});

describe("withinDeadline()", () => {
  test("gives what the work gives, and its failures", async () => {
    expect(await withinDeadline(1_000, never, () => Promise.resolve(5), late)).toBe(5);
    const failure = new AppError("system", "down");
    expect(
      await failureOf(withinDeadline(1_000, never, () => Promise.reject(failure), late)),
    ).toEqual({ code: "system", message: "down" });
  });

  test.each([
    [new AppError("cancelled", "ended"), "limit", "too late"],
    [new AppError("system", "closed"), "limit", "too late"],
    [new Error("closed"), "limit", "too late"],
    [new AppError("limit", "8 bytes came"), "limit", "8 bytes came"],
    [new AppError("refused", "private"), "refused", "private"],
  ])("at the deadline %p is told as %s, %j", async (error, code, message) => {
    expect(await failureOf(withinDeadline(10, never, endingWith(error), late))).toEqual({
      code,
      message,
    });
  });

  test("what the work gives when it is ended counts at the deadline, not for a caller who is gone", async () => {
    const partly = (signal: AbortSignal): Promise<string> =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve("partly")));
    expect(await withinDeadline(10, never, partly, late)).toBe("partly");
    const controller = new AbortController();
    const call = failureOf(withinDeadline(10_000, controller.signal, partly, late));
    controller.abort();
    expect(await call).toMatchObject({ code: "cancelled" });
  });

  test("work that does not end when it is told to is left", async () => {
    const controller = new AbortController();
    const calls = [
      failureOf(withinDeadline(10, never, stuck, late)),
      failureOf(withinDeadline(10_000, controller.signal, stuck, late)),
    ];
    controller.abort();
    expect(await Promise.all(calls)).toMatchObject([{ code: "limit" }, { code: "cancelled" }]);
  });
});

test("a guard that never answers costs its place no longer than the deadline", async () => {
  let asked = 0;
  const loader = new PageLoader({
    guard: { fetch: () => (asked++ === 0 ? stuck() : Promise.resolve(new Response("next"))) },
    cache: new PageCache(),
    msMax: 10,
    loadingMax: 1,
  });
  const first = failureOf(loader.fetchPage({ url: "http://a.example/" }, never));
  const second = loader.fetchPage({ url: "http://b.example/" }, never);
  expect(await first).toEqual({
    code: "limit",
    message: "a.example did not answer within 0.01 s.",
  });
  expect(await second).toMatchObject({ body: { kind: "text", text: "next" } });
});
