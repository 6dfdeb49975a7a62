import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";

import { Cancellation } from "../../../../src/base/cancellation.ts";
import {
  auditFileBytesMax,
  auditFilesMax,
  auditLinesWaitingMax,
  auditLockAgeMsMax,
} from "../../../../src/base/limits.ts";
import { unsafeCharacters } from "../../../../src/base/unsafe-characters.ts";
import type { CallRequest } from "../../../../src/calls/call.ts";
import { AuditFile } from "../../../../src/calls/policy/audit/audit-file.ts";
import { AuditLog, AuditWatcher } from "../../../../src/calls/policy/audit/audit-log.ts";
import { eventually } from "../../../e2e/harness/conditions.ts";
import { TempFolder } from "../../../e2e/harness/temp-folder.ts";

const noWarning = (line: string): void => {
  throw new Error(line);
};

describe("AuditFile (U-audit)", () => {
  test("is private, and so is its folder", async () => {
    using home = new TempFolder();
    const file = new AuditFile(home.at("a", "audit"));
    await file.append("1\n");
    await file.append("2\n");
    expect(readFileSync(file.path, "utf8")).toBe("1\n2\n");
    expect([
      statSync(file.path).mode & 0o777,
      statSync(home.at("a", "audit")).mode & 0o777,
    ]).toEqual([0o600, 0o700]);
  });

  test("changes its name when it is full; the oldest goes", async () => {
    using home = new TempFolder();
    const file = new AuditFile(home.path);
    const big = `${"x".repeat(auditFileBytesMax - 1)}\n`;
    await file.append(big);
    expect(readdirSync(home.path)).toEqual(["audit.jsonl"]);
    for (let number = 0; number < auditFilesMax + 1; number++) {
      writeFileSync(file.path, `${number}\n${big.slice(2)}`);
      await file.append("new\n");
    }
    const names = [
      "audit.1.jsonl",
      "audit.2.jsonl",
      "audit.3.jsonl",
      "audit.4.jsonl",
      "audit.jsonl",
    ];
    expect(readdirSync(home.path).sort()).toEqual(names);
    const first = names.map((name) => readFileSync(home.at(name), "utf8").split("\n", 1)[0]);
    expect(first).toEqual(["5", "4", "3", "2", "new"]);
  });

  test("of several that find it full one changes its name, and no other after it", async () => {
    using home = new TempFolder();
    const full = "x".repeat(auditFileBytesMax - 1);
    for (let round = 0; round < 30; round++) {
      writeFileSync(home.at("audit.jsonl"), full);
      const files = Array.from({ length: 8 }, () => new AuditFile(home.path));
      const late = async (file: AuditFile, index: number): Promise<void> => {
        await Bun.sleep(index / 4);
        await file.append("1\n".repeat(10));
      };
      await Promise.all(files.map(late));
      expect(readdirSync(home.path).sort()).toEqual(["audit.1.jsonl", "audit.jsonl"]);
      rmSync(home.at("audit.1.jsonl"));
    }
  });

  test.skipIf(process.platform === "win32")(
    "a line that was cut off takes no other with it",
    async () => {
      using home = new TempFolder();
      const source = new URL("../../../../src/calls/policy/audit/audit-file.ts", import.meta.url)
        .pathname;
      const script = home.write(
        "writer.ts",
        `import { AuditFile } from ${JSON.stringify(source)};
         const file = new AuditFile(${JSON.stringify(home.at("audit"))});
         await file.append("1".repeat(600) + "\\n");
         console.log(await file.append("2".repeat(600) + "\\n").catch(({ code }) => code));`,
      );
      // No file may be longer than a kibibyte.
      const limited = `trap '' XFSZ; ulimit -f 1; exec "$0" "$1"`;
      const { stdout } = Bun.spawnSync(["bash", "-c", limited, process.execPath, script]);
      expect(stdout.toString()).toBe("EFBIG\n");
      const file = new AuditFile(home.at("audit"));
      await file.append("3\n");
      await file.append("4\n");
      expect(readFileSync(file.path, "utf8")).toBe(
        `${"1".repeat(600)}\n${"2".repeat(1024 - 601)}\n3\n4\n`,
      );
    },
  );

  test("a lock that was left behind counts for a while", async () => {
    using home = new TempFolder();
    const file = new AuditFile(home.path);
    const lock = home.write("audit.lock", "");
    writeFileSync(file.path, "x".repeat(auditFileBytesMax));
    await file.append("1\n");
    expect(existsSync(home.at("audit.1.jsonl"))).toBe(false);
    const old = (Date.now() - auditLockAgeMsMax - 1000) / 1000;
    utimesSync(lock, old, old);
    await file.append("2\n");
    await file.append("3\n");
    expect(readFileSync(file.path, "utf8")).toBe("3\n");
  });

  test.skipIf(process.platform === "win32")(
    "does not follow a link, and does not wait for a pipe",
    async () => {
      using home = new TempFolder();
      symlinkSync(home.at("elsewhere"), home.at("audit.jsonl"));
      expect(await new AuditFile(home.path).append("1\n").catch(() => "refused")).toBe("refused");
      expect(existsSync(home.at("elsewhere"))).toBe(false);
      mkdirSync(home.at("pipe"));
      Bun.spawnSync(["mkfifo", home.at("pipe", "audit.jsonl")]);
      expect(await new AuditFile(home.at("pipe")).append("1\n").catch(() => "refused")).toBe(
        "refused",
      );
    },
  );

  test("several processes lose no line when the file is full again and again", async () => {
    using home = new TempFolder();
    const script = home.write(
      "writer.ts",
      `import { AuditFile } from ${JSON.stringify(new URL("../../../../src/calls/policy/audit/audit-file.ts", import.meta.url).pathname)};
       const file = new AuditFile(${JSON.stringify(home.at("audit"))});
       const pad = "x".repeat(500_000);
       for (let n = 0; n < 15; n++) await file.append(JSON.stringify({ who: process.argv[2], n, pad }) + "\\n");`,
    );
    const writers = ["a", "b", "c"].map((name) =>
      Bun.spawn([process.execPath, script, name], { stdio: ["ignore", "ignore", "inherit"] }),
    );
    expect(await Promise.all(writers.map(({ exited }) => exited))).toEqual([0, 0, 0]);
    const lines = readdirSync(home.at("audit"))
      .flatMap((name) => readFileSync(home.at("audit", name), "utf8").split("\n"))
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { who: string; n: number });
    expect(new Set(lines.map(({ who, n }) => `${who}${n}`)).size).toBe(45);
    expect(readdirSync(home.at("audit")).length).toBeGreaterThan(1);
  });
});

describe("AuditLog (U-audit)", () => {
  test("writes by itself within a second, in order", async () => {
    using home = new TempFolder();
    const file = new AuditFile(home.path);
    const log = new AuditLog(file, noWarning);
    for (let number = 0; number < 200; number++) log.add(() => String(number));
    expect(existsSync(file.path)).toBe(false);
    await eventually(
      "the file",
      () => existsSync(file.path) && readFileSync(file.path, "utf8").endsWith("199\n"),
    );
    const numbers = readFileSync(file.path, "utf8").trim().split("\n").map(Number);
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, number) => number));
  });

  test.skipIf(process.getuid?.() === 0)(
    "a folder that cannot be written is one warning",
    async () => {
      using home = new TempFolder();
      chmodSync(home.path, 0o500);
      const warnings: string[] = [];
      const log = new AuditLog(new AuditFile(home.at("audit")), (line) => void warnings.push(line));
      for (let round = 0; round < 3; round++) {
        log.add(() => "1");
        await log.flush();
      }
      chmodSync(home.path, 0o700);
      expect(warnings).toHaveLength(1);
    },
  );

  test("what cannot be written is one warning, and is counted when it can again", async () => {
    const warnings: string[] = [];
    const written: string[] = [];
    let isBroken = true;
    const file = {
      append: (lines: string): Promise<void> =>
        isBroken ? Promise.reject(new Error("EROFS")) : Promise.resolve(void written.push(lines)),
    };
    const log = new AuditLog(file, (line) => void warnings.push(line));
    for (let round = 0; round < 3; round++) {
      log.add(() => "x");
      await log.flush();
    }
    isBroken = false;
    log.add(() => "y");
    await log.flush();
    expect(warnings).toEqual(["The audit log cannot be written: EROFS. Calls go on without it."]);
    expect(written.join("")).toMatch(/^y\n\{"time":"[^"]+","lost":3\}\n$/);
  });

  test("an entry that cannot be made takes no other with it", async () => {
    const written: string[] = [];
    const warnings: string[] = [];
    const file = { append: (lines: string) => Promise.resolve(void written.push(lines)) };
    const log = new AuditLog(file, (line) => void warnings.push(line));
    const entries = [() => "a", () => Promise.resolve("b"), () => Promise.reject(new Error("no"))];
    for (const entry of [...entries, () => "c"]) log.add(entry);
    await log.flush();
    expect(written.join("")).toMatch(/^a\nb\nc\n\{"time":"[^"]+","lost":1\}\n$/);
    expect(warnings).toHaveLength(1);
  });

  test("while a disk does not answer no arguments are kept", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const log = new AuditLog({ append: () => promise }, noWarning);
    let made = 0;
    const add = (): void => log.add(() => String(made++));
    add();
    void log.flush();
    add();
    const flushed = log.flush();
    await eventually("the second line", () => made === 2);
    resolve();
    await flushed;
  });

  test("as many as may wait, and one more", async () => {
    let lines = 0;
    const log = new AuditLog(
      { append: (text) => Promise.resolve(void (lines += text.split("\n").length - 1)) },
      noWarning,
    );
    for (let number = 0; number < auditLinesWaitingMax + 1; number++) log.add(() => "x");
    await log.flush();
    // One line says how many were lost.
    expect(lines).toBe(auditLinesWaitingMax + 1);
  });
});

describe("AuditWatcher (U-audit)", () => {
  const call = (more: object = {}, client: object = {}): CallRequest => ({
    name: "Bash",
    args: { timeout: 5, command: "curl -H 'Authorization: Bearer abcdefgh12'" },
    version: "2025-11-25",
    client: {
      id: "stdio",
      limits: { answerMs: 0, resultCharsMax: 1 },
      workspaceDir: () => Promise.resolve("/"),
      ...client,
    },
    cancellation: new Cancellation(),
    ...more,
  });
  const lineOf = (
    request: CallRequest,
    end: object,
    options: object = {},
  ): Record<string, unknown> => {
    const lines: string[] = [];
    const watcher = new AuditWatcher({
      log: {
        add: (entry) => {
          const line = entry();
          if (typeof line === "string") lines.push(line);
        },
      },
      instanceId: "i",
      decided: { has: () => true },
      decisionOn: () => ({ rule: undefined, agreement: undefined }),
      logsCommands: false,
      secrets: [],
      ...options,
    });
    watcher.ended(request, { decision: "allowed", outcome: "result", durationMs: 1.26, ...end });
    expect(lines.join("")).not.toMatch(unsafeCharacters);
    return JSON.parse(lines[0] ?? "") as Record<string, unknown>;
  };
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);

  test("who, what, on whose word, how it ended; of arguments a digest", () => {
    const line = lineOf(call(), {});
    expect(line).toEqual({
      time,
      instance: "i",
      client: "stdio",
      tool: "Bash",
      args: expect.stringMatching(/^sha256:[\da-f]{64}$/),
      decision: "allowed",
      outcome: "result",
      durationMs: 1.3,
    });
    const turned = lineOf(
      call({ args: { command: "curl -H 'Authorization: Bearer abcdefgh12'", timeout: 5 } }),
      {},
    );
    expect(turned["args"]).toBe(line["args"]);
  });

  test("a refusal with its rule; the session's id as a digest, the owner as it is", () => {
    const decisionOn = (): object => ({ rule: "rule 1 of P", agreement: "once" });
    const line = lineOf(
      call({}, { id: "secret-session", owner: "me" }),
      { decision: "denied", outcome: undefined },
      { decisionOn },
    );
    expect(line).toMatchObject({
      client: expect.stringMatching(/^[\da-f]{16}$/),
      owner: "me",
      decision: "denied",
      outcome: "refused",
      rule: "rule 1 of P",
      consent: "once",
    });
    expect(lineOf(call(), { outcome: undefined })).toMatchObject({ outcome: "error" });
  });

  test("commands in words only when asked for, without secrets", () => {
    expect(lineOf(call(), {}, { logsCommands: true })["command"]).toBe(
      "curl -H 'Authorization: Bearer [redacted]'",
    );
    expect(
      lineOf(call({ name: "WebSearch" }), {}, { logsCommands: true })["command"],
    ).toBeUndefined();
    const command = "ls \u202e\u009b2J\u{e0041}";
    expect(lineOf(call({ args: { command } }), {}, { logsCommands: true })["command"]).toBe(
      command,
    );
    const long = lineOf(call({ args: { command: "x ".repeat(3000) } }), {}, { logsCommands: true })[
      "command"
    ];
    expect(String(long)).toHaveLength(1000);
  });
});
