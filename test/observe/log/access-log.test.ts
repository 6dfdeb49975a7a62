import { afterAll, describe, expect, jest, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  accessLogLinesWaitingMax,
  accessLogRefusalsMax,
  auditRefusalWindowMs,
} from "../../../src/base/limits.ts";
import { AccessLog, AppendFile } from "../../../src/observe/log/access-log.ts";
import { observed } from "../recorded.ts";

const folder = mkdtempSync(join(tmpdir(), "access-log-"));
afterAll(() => rmSync(folder, { recursive: true }));

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const number = expect.any(Number) as unknown;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
const refusal = { address: "192.0.2.1", principal: undefined, tool: undefined };

/** A log into memory. */
function memoryLog(): { readonly log: AccessLog; readonly lines: () => Promise<unknown[]> } {
  let text = "";
  const file = {
    append: (lines: string): Promise<void> => {
      text += lines;
      return Promise.resolve();
    },
  };
  const log = new AccessLog(file, () => {});
  return {
    log,
    lines: async () => {
      await log[Symbol.asyncDispose]();
      const lines = text.split("\n").slice(0, -1);
      text = "";
      return lines.map((line) => JSON.parse(line) as unknown);
    },
  };
}

describe("AccessLog", () => {
  test("has a line for each request", async () => {
    const { log, lines } = memoryLog();
    observed(log, { traceparent });
    observed(log, { outerTraceparent: traceparent }, { tool: "mcp__a__b", server: "a" }, [
      "{}",
      -32602,
    ]);
    observed(log, { name: "Nothing", traceparent: "x" }, {}, [undefined]);
    observed(log, { method: "prompts/get", principal: undefined, clientName: undefined }, {});
    const usual = {
      time,
      principal: "token:laptop",
      client: "test",
      address: "127.0.0.1",
      ms: number,
    };
    expect(await lines()).toEqual([
      { ...usual, method: "tools/call", tool: "Echo", outcome: "ok", bytes: 13, trace: traceId },
      {
        ...usual,
        method: "tools/call",
        tool: "mcp__a__b",
        server: "a",
        outcome: "error:-32602",
        bytes: 2,
        trace: traceId,
      },
      { ...usual, method: "tools/call", tool: "Nothing", outcome: "cancelled", bytes: 0 },
      { time, address: "127.0.0.1", method: "prompts/get", outcome: "ok", ms: number, bytes: 13 },
    ]);
  });

  test("escapes and cuts the texts of clients and servers", async () => {
    let text = "";
    const log = new AccessLog({ append: async (lines) => void (text += lines) }, () => {});
    observed(log, { clientName: `a\n{"outcome":"ok"}\u001b[31m\u202e${"x".repeat(10_000)}` }, {});
    await log[Symbol.asyncDispose]();
    expect(text).toMatch(/^[\x20-\x7e]+\n$/);
    expect(text.length).toBeLessThan(500);
    expect((JSON.parse(text) as { client: string }).client).toStartWith(
      'a\n{"outcome":"ok"}\u001b[31m',
    );
  });

  test("refusals are bounded in rate", async () => {
    jest.useFakeTimers();
    try {
      const { log, lines } = memoryLog();
      for (let count = 0; count < accessLogRefusalsMax + 1_000; count += 1) {
        log.refused({ ...refusal, status: 401 });
      }
      log.refused({ status: 403, address: undefined, principal: "token:ci", tool: "Bash" });
      jest.advanceTimersByTime(auditRefusalWindowMs);
      log.refused({ ...refusal, status: 401 });
      const all = await lines();
      expect(all).toHaveLength(accessLogRefusalsMax + 2);
      expect(all[0]).toEqual({ time, address: "192.0.2.1", outcome: "refused:401" });
      expect(all.slice(-2)).toEqual([
        { time, outcome: "refused", more: 1_001 },
        { time, outcome: "refused", more: 1 },
      ]);
    } finally {
      jest.useRealTimers();
    }
  });

  test("lines beyond the bound are counted while the file does not answer", async () => {
    const written = Promise.withResolvers<void>();
    const texts: string[] = [];
    const append = (lines: string): Promise<void> => {
      texts.push(lines);
      return written.promise;
    };
    const log = new AccessLog({ append }, () => {});
    for (let count = 0; count < accessLogLinesWaitingMax + 5; count += 1) observed(log);
    expect(log.lost).toBe(5);
    written.resolve();
    await log[Symbol.asyncDispose]();
    const lines = texts.join("").trim().split("\n");
    expect(lines.filter((line) => line.includes("tools/call"))).toHaveLength(
      accessLogLinesWaitingMax,
    );
    expect(lines.filter((line) => line.includes('"lost":5'))).toHaveLength(1);
  });

  test("a file that never answers does not hold up the end", async () => {
    const log = new AccessLog({ append: () => new Promise<void>(() => {}) }, () => {});
    observed(log);
    await log[Symbol.asyncDispose]();
  });

  test("a file that cannot be written is reported once", async () => {
    const warnings: string[] = [];
    const log = new AccessLog({ append: () => Promise.reject(new Error("full")) }, (text) =>
      warnings.push(text),
    );
    observed(log);
    observed(log);
    await log[Symbol.asyncDispose]();
    expect([warnings, log.lost]).toEqual([
      ["The access log cannot be written: full. Calls go on without it."],
      2,
    ]);
  });
});

describe("AppendFile", () => {
  const isPosix = process.platform !== "win32";

  test.skipIf(!isPosix)(
    "makes a private file, and lines survive both ways of rotation",
    async () => {
      const path = join(folder, "access.log");
      const file = new AppendFile(path);
      await file.check();
      expect([statSync(path).mode & 0o777, readFileSync(path, "utf8")]).toEqual([0o600, ""]);
      await file.append("one\n");
      renameSync(path, `${path}.1`);
      await file.append("two\n");
      truncateSync(path);
      await file.append("three\n");
      expect([readFileSync(`${path}.1`, "utf8"), readFileSync(path, "utf8")]).toEqual([
        "one\n",
        "three\n",
      ]);
    },
  );

  test.skipIf(!isPosix).each([
    [folder, "EISDIR"],
    [join(folder, "none/access.log"), "ENOENT"],
    ["/dev/null", "/dev/null is not a file"],
  ])("%s is refused by name", async (path, reason) => {
    const failure = await new AppendFile(path).check().catch((error: unknown) => error);
    expect(String(failure)).toContain("The file of --access-log cannot be written: ");
    expect(String(failure)).toContain(reason);
    expect(existsSync(join(folder, "none"))).toBe(false);
  });
});
