import { describe, expect, test } from "bun:test";

import { lazyWeb } from "../../src/compose/lazy-web.ts";
import { failureOf } from "../web/pages/page-harness.ts";
import { plainWebOptions } from "../web/worker/plain-web-options.ts";

const never = new AbortController().signal;
const url = new URL("../web/worker/fixtures/faulty-web-worker.ts", import.meta.url).href;

class Harness implements AsyncDisposable {
  /** What was done, in order. */
  readonly log: string[] = [];
  failsToStart = false;
  readonly web = lazyWeb({
    createWorker: () => {
      this.log.push("worker");
      return new Worker(url);
    },
    options: () => {
      this.log.push("options");
      if (this.failsToStart) throw new Error("no options");
      return plainWebOptions("host.example");
    },
    beforeStart: () => void this.log.push("before"),
    warn: () => {},
  });

  async text(page: string): Promise<string> {
    const { json } = await this.web.fetchPage({ url: page }, never);
    return (JSON.parse(json) as { body: { text: string } }).body.text;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.web[Symbol.asyncDispose]());
  }
}

describe("lazyWeb()", () => {
  test("makes nothing before the first call, and one service for all", async () => {
    await using harness = new Harness();
    expect(harness.log).toEqual([]);
    const rendering = harness.web.renderPage({ url: "r", waitMs: 1 }, never);
    expect(await Promise.all([harness.text("allowed"), harness.text("a")])).toEqual([
      "host.example",
      "a",
    ]);
    expect((await rendering).json).toContain("rendered after 1 ms");
    expect(harness.log).toEqual(["before", "options", "worker"]);
  });

  test("tries again after a failure to make it", async () => {
    await using harness = new Harness();
    harness.failsToStart = true;
    expect(harness.text("a")).rejects.toThrow("no options");
    await harness.text("a").catch(() => {});
    harness.failsToStart = false;
    expect(await harness.text("b")).toBe("b");
  });

  test("is over when it was closed, used or not", async () => {
    for (const isUsed of [false, true]) {
      const harness = new Harness();
      if (isUsed) await harness.text("a");
      const before = harness.log.length;
      await harness[Symbol.asyncDispose]();
      expect(await failureOf(harness.web.search({ query: "q" }, never))).toMatchObject({
        code: "cancelled",
      });
      expect(harness.log).toHaveLength(before);
    }
  });

  test("cancels what is due when it is closed", async () => {
    const harness = new Harness();
    const due = failureOf(harness.web.fetchPage({ url: "wait" }, never));
    await harness.text("running");
    await harness[Symbol.asyncDispose]();
    expect(await due).toMatchObject({ code: "cancelled" });
  });
});
