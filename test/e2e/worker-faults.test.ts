import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";

import { faultyBinary } from "./harness/binary.ts";
import { contentOf, isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";
import { isLongRun } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

const tooLong = "did not finish within 300 ms";

/** What breaks, and what the client is told. */
const faults: [tool: string, reason: string][] = [
  ["FaultyLoop", tooLong],
  ["FaultyHang", tooLong],
  ["FaultyRegex", tooLong],
  ["FaultyThrow", "thrown on purpose"],
  ["FaultyLateThrow", "thrown late on purpose"],
  ["FaultyLateReject", "rejected on purpose"],
  ["FaultyExit", "exited with code 3"],
  ["FaultyOverflow", "Maximum call stack size exceeded"],
  ["FaultyHugeStructure", "too long to return as structured data"],
];

/** For other calls it matters only how the Worker is lost: one of each way. */
const met = isLongRun
  ? faults
  : faults.filter(([tool]) => ["FaultyHang", "FaultyThrow", "FaultyExit"].includes(tool));

async function startFaulty(): Promise<Server> {
  const server = new Server({ binary: faultyBinary });
  await server.initialize();
  return server;
}

describe("a tool that breaks", () => {
  /** One for all of them: that it goes on after each is what is shown. */
  let shared: Server;
  beforeAll(async () => {
    shared = await startFaulty();
  });
  afterAll(() => shared[Symbol.asyncDispose]());

  test.each(faults)("[worker.reason] %s fails with its reason", async (tool, reason) => {
    const server = shared;
    const before = server.stderr.length;
    const reply = await server.call(tool);
    expect(isError(reply)).toBe(true);
    expect(textOf(reply)).toContain(tool.endsWith("Structure") ? "result" : tool);
    expect(textOf(reply)).toContain(reason);
    // The reason, not the source of the program or a stack.
    expect(textOf(reply).length).toBeLessThan(300);
    const stderr = server.stderr.slice(before);
    expect(stderr.length).toBeLessThan(500);
    // Nothing that a terminal would act on.
    expect(stderr).toMatch(/^[\x20-\x7e\n]*$/);
    expect(textOf(await server.call("Bash", { command: "echo fine" }))).toBe("fine\n");
  });

  test.each(met)("[worker.others] %s disturbs none of 40 calls in flight", async (tool) => {
    await using server = await startFaulty();
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const bash = async (index: number): Promise<string> =>
      textOf(await server.call("Bash", { command: `sleep 0.1; echo ${index}` }));
    const list = async (): Promise<string> => textOf(await server.call("ListBgTasks"));
    const calls = numbers.slice(0, 10).flatMap((index) => [bash(index), list()]);
    const broken = server.call(tool);
    calls.push(...numbers.slice(10).flatMap((index) => [bash(index), list()]));
    const texts = await Promise.all(calls);
    expect(isError(await broken)).toBe(true);
    const listed = texts[1] ?? "";
    expect(listed).toContain("No background tasks");
    expect(texts).toEqual(numbers.flatMap((index) => [`${index}\n`, listed]));
  });

  test("[worker.others] nor those that wait in the same Worker without a service", async () => {
    await using server = await startFaulty();
    const calls = Array.from({ length: 10 }, () => server.call("FaultySleep", { ms: 300 }));
    const broken = server.call("FaultyExit");
    const texts = (await Promise.all(calls)).map(textOf);
    expect(isError(await broken)).toBe(true);
    expect(texts).toEqual(calls.map(() => "slept 300 ms"));
  });

  test("[worker.others] a call that breaks again and again is not tried twice", async () => {
    await using server = await startFaulty();
    for (let round = 0; round < 5; round++) {
      expect(textOf(await server.call("FaultyExit"))).toContain("exited with code 3");
    }
    expect(server.stderr.match(/A Worker was lost/g)).toHaveLength(5);
  });

  test("[worker.cancel] an endless loop can be cancelled", async () => {
    await using server = await startFaulty();
    const id = server.start("tools/call", { name: "FaultyLoop", arguments: {} }, "loop");
    server.notify("notifications/cancelled", { requestId: id });
    expect(textOf(await server.call("Bash", { command: "sleep 0.5; echo on" }))).toBe("on\n");
    expect(server.messages.some((message) => message.id === id)).toBe(false);
  });

  test("[worker.exit] a loop in a Worker does not keep the server from ending", async () => {
    await using server = await startFaulty();
    server.start("tools/call", { name: "FaultyLoop", arguments: {} });
    server.start("tools/call", { name: "FaultyRegex", arguments: {} });
    await server.request("ping");
    server.endInput();
    expect(await server.ended(5_000)).toBe(0);
  });
});

describe("a result out of measure", () => {
  test("[worker.huge-text] 20 MB are cut, the file has all of them", async () => {
    await using server = await startFaulty();
    const call = server.call("FaultyHugeText");
    expect((await server.request("ping")).result).toEqual({});
    const reply = await call;
    const text = textOf(reply);
    expect(text.length).toBeLessThan(31_000);
    expect(text.startsWith("first line\n")).toBe(true);
    expect(text.endsWith("last line\n")).toBe(true);
    const link = contentOf(reply).find(({ type }) => type === "resource_link");
    const name = `${basename(link?.uri ?? "")}.txt`;
    const path = server.home.at(".scorpiox", "results", name);
    expect(statSync(path).size).toBe(20_000_021);
    if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
    const whole = readFileSync(path, "latin1");
    expect(whole.slice(-30)).toBe(`${"x".repeat(19)}\nlast line\n`);
  });

  test("[worker.bad-text] half a character becomes a replacement character", async () => {
    await using server = await startFaulty();
    expect(textOf(await server.call("FaultySurrogate"))).toBe("half \ufffd of it");
  });
});
