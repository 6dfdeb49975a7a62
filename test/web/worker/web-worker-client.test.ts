import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { AppError } from "../../../src/base/errors.ts";
import type { LoadedPage } from "../../../src/web/pages/page-url.ts";
import { WebWorkerClient } from "../../../src/web/worker/web-worker-client.ts";
import { until } from "../../commands/process/until.ts";
import { plainWebOptions } from "./plain-web-options.ts";

const never = new AbortController().signal;

class Harness implements AsyncDisposable {
  readonly warnings: string[] = [];
  started = 0;
  readonly client: WebWorkerClient;

  constructor(options = plainWebOptions(), timing = {}) {
    const url = new URL("./fixtures/faulty-web-worker.ts", import.meta.url).href;
    this.client = new WebWorkerClient({
      createWorker: () => {
        this.started++;
        return new Worker(url);
      },
      options,
      warn: (message) => this.warnings.push(message),
      timing,
    });
  }

  async page(url: string, signal: AbortSignal = never): Promise<LoadedPage> {
    return JSON.parse((await this.client.fetchPage({ url }, signal)).json) as LoadedPage;
  }

  async text(url: string): Promise<string> {
    const { body } = await this.page(url);
    return body.kind === "text" ? body.text : body.kind;
  }

  /** How a call failed. */
  async failure(url: string, signal: AbortSignal = never): Promise<unknown> {
    return failureOf(this.client.fetchPage({ url }, signal));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client[Symbol.asyncDispose]();
  }
}

function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => "no failure",
    (error: unknown) =>
      error instanceof AppError ? { code: error.code, message: error.message } : error,
  );
}

const lostText = (reason: string): string =>
  `The web service was lost: ${reason}. It is restarting; try again.`;
const lostWarning = (reason: string): string =>
  `The web Worker was lost and is replaced: ${reason}.`;

describe("WebWorkerClient", () => {
  test("starts no Worker before the first call, and one for all of them", async () => {
    await using harness = new Harness(plainWebOptions("one.example", "two.example"));
    expect(harness.started).toBe(0);
    const texts = await Promise.all(["a", "b", "allowed"].map((url) => harness.text(url)));
    expect(texts).toEqual(["a", "b", "one.example two.example"]);
    expect((await harness.page("c")).notes).toEqual(["opened 1 times", "cancelled 0"]);
    expect(harness.started).toBe(1);
  });

  test("a reply is the JSON of what the service gave, whatever is in it", async () => {
    await using harness = new Harness();
    const nasty = 'tab\t newline\n quote" back\\ \u2028 \ud83d\ude00 5 {"kind":"pong"}';
    const { json } = await harness.client.renderPage({ url: nasty, waitMs: 7 }, never);
    expect(JSON.parse(json)).toEqual({
      url: nasty,
      finalUrl: nasty,
      status: 200,
      contentType: "text/plain",
      body: { kind: "text", text: "rendered after 7 ms" },
      via: "fetch",
      isCached: false,
      notes: ["opened 1 times", "cancelled 0"],
    });
  });

  test.each([
    ["refuse", "refused", "a private address: 127.0.0.1"],
    ["defect", "system", "undefined is not a page"],
  ])("the failure of %s crosses with its code", async (url, code, message) => {
    await using harness = new Harness();
    expect(await harness.failure(url)).toEqual({ code, message });
    expect(await harness.text("after")).toBe("after");
  });

  test("a service that cannot be opened fails the call, and the next one tries again", async () => {
    await using harness = new Harness(plainWebOptions("unopenable"));
    const failure = { code: "system", message: "no store" };
    expect(await harness.failure("a")).toEqual(failure);
    expect(await harness.failure("b")).toEqual(failure);
    expect(harness.started).toBe(1);
  });

  test("a cancelled call ends at once here, and soon in the Worker", async () => {
    await using harness = new Harness();
    const controller = new AbortController();
    const ended = harness.failure("wait", controller.signal);
    await harness.text("running");
    controller.abort();
    expect(await ended).toEqual({ code: "cancelled", message: "The call was cancelled." });
    expect((await harness.page("then")).notes).toContain("cancelled 1");
    const before = harness.failure("wait", controller.signal);
    expect(await before).toEqual({ code: "cancelled", message: "The call was cancelled." });
  });

  test("what throws out of turn is told and takes nobody along", async () => {
    const program = join(import.meta.dir, "fixtures/out-of-turn.ts");
    const child = Bun.spawn([process.execPath, program], { stdout: "pipe" });
    expect(await child.stdout.json()).toEqual({
      started: 1,
      ok: ["throw later", "reject later", "after"],
      warnings: [
        "internal error in the web Worker: out of turn",
        "internal error in the web Worker: nobody catches this",
      ],
    });
  });

  test.each([
    ["hang", "it hung"],
    ["exit", "it exited with code 3"],
  ])("a Worker lost by %s fails its calls and is replaced", async (url, reason) => {
    await using harness = new Harness(plainWebOptions(), { lookMs: 20, silentLooksMax: 25 });
    await harness.text("before");
    const calls = [harness.failure("wait"), harness.failure(url)];
    const failure = { code: "worker", message: lostText(reason) };
    expect(await Promise.all(calls)).toEqual([failure, failure]);
    expect(harness.warnings).toEqual([lostWarning(reason)]);
    expect(await harness.text("after")).toBe("after");
    expect(harness.started).toBe(2);
  });

  test("a Worker that computes for less than it may is not given up", async () => {
    await using harness = new Harness(plainWebOptions(), { lookMs: 5, silentLooksMax: 1_000 });
    expect(await harness.text("quick")).toBe("quick");
    expect(harness.warnings).toEqual([]);
  });

  test("an unused Worker is ended in order, and another started when it is needed", async () => {
    await using harness = new Harness(plainWebOptions(), { idleMs: 1 });
    await harness.text("a");
    await until(() => harness.warnings.length > 0);
    expect(harness.warnings).toEqual(["internal error in the web Worker: closed in order"]);
    expect((await harness.page("b")).notes).toEqual(["opened 1 times", "cancelled 0"]);
    expect(harness.started).toBe(2);
  });

  test("closing cancels what is due and ends the service in order", async () => {
    const harness = new Harness();
    await harness.text("a");
    const due = [harness.failure("wait"), failureOf(harness.client.search({ query: "q" }, never))];
    await harness[Symbol.asyncDispose]();
    const failure = { code: "cancelled", message: "The web service is shutting down." };
    expect(await Promise.all([...due, harness.failure("later")])).toEqual([
      failure,
      failure,
      failure,
    ]);
    expect(harness.warnings).toEqual(["internal error in the web Worker: closed in order"]);
  });

  test("closing does not wait for a service that does not end", async () => {
    const harness = new Harness(plainWebOptions("unclosable"));
    await harness.text("a");
    await harness[Symbol.asyncDispose]();
    expect(harness.warnings).toEqual([]);
  });

  test("closing one that was never used starts nothing", async () => {
    const harness = new Harness();
    await harness[Symbol.asyncDispose]();
    expect(harness.started).toBe(0);
  });
});
