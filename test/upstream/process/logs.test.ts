import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { messageOf } from "../../../src/base/errors.ts";
import {
  upstreamInputsWaitingMax,
  upstreamStderrBytesMax,
} from "../../../src/base/upstream-limits.ts";
import { RelayedPipes } from "../../../src/upstream/process/worker-processes.ts";
import {
  RotatedFile,
  ServerLogs,
  LineSplitter,
  StderrRing,
} from "../../../src/upstream/process/server-logs.ts";
import { InputQueue } from "../../../src/upstream/process/worker-process.ts";

let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "scorpiox-logs-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("a log is set aside when it is full, and two older ones are kept", async () => {
  const path = join(dir, "rotated/x.log");
  const file = new RotatedFile(path, 100);
  for (let at = 0; at < 6; at++) {
    file.append(`${at} ${"x".repeat(100)}\n`);
    await file.flush();
  }
  expect(readdirSync(join(dir, "rotated")).sort()).toEqual(["x.log.1", "x.log.2"]);
  expect(readFileSync(`${path}.1`, "utf8")[0]).toBe("5");
  expect(readFileSync(`${path}.2`, "utf8")[0]).toBe("4");
  file.append("6\n");
  await file.flush();
  expect(readFileSync(path, "utf8")).toBe("6\n");
});

test("two processes may write to one log: a file that the other has set aside is not set aside again", async () => {
  const path = join(dir, "shared.log");
  const [one, other] = [new RotatedFile(path, 1_000), new RotatedFile(path, 1_000)];
  for (let at = 0; at < 30; at++) {
    (at % 2 === 0 ? one : other).append(`${String(at).padStart(3)} ${"x".repeat(60)}\n`);
    await Promise.all([one.flush(), other.flush()]);
  }
  const lines = [`${path}.2`, `${path}.1`, path].flatMap((name) => {
    try {
      return readFileSync(name, "utf8").split("\n").filter(Boolean);
    } catch {
      return [];
    }
  });
  expect(lines.map((line) => Number(line.slice(0, 3)))).toEqual(
    Array.from({ length: lines.length }, (_, at) => 30 - lines.length + at),
  );
  expect(lines.length).toBeGreaterThan(15);
});

test("lines that the disk does not take in time are dropped and counted", async () => {
  const path = join(dir, "flood.log");
  const file = new RotatedFile(path);
  for (let at = 0; at < 5; at++) file.append("x".repeat(1024 * 1024));
  await file.flush();
  expect(statSync(path).size).toBeLessThan(3 * 1024 * 1024);
  expect(readFileSync(path, "utf8").slice(-80)).toContain("3 lines were dropped here");
});

test("a folder that cannot be made costs the log and nothing else", async () => {
  writeFileSync(join(dir, "a-file"), "");
  const logs = new ServerLogs(join(dir, "a-file/logs"));
  logs.write("s", "stderr", "lost");
  await logs.flush();
  logs.write("s", "stderr", "lost too");
  await logs.flush();
});

test("a line of a log is one line, whatever is in it", async () => {
  const logs = new ServerLogs(join(dir, "lines"));
  logs.write("s", "note", "one\ntwo \u001b]52;c;x\u0007");
  await logs.flush();
  const text = readFileSync(join(dir, "lines/mcp-s.log"), "utf8");
  expect(text.slice(text.indexOf(" "))).toBe(" note one\\ntwo \\u{1b}]52;c;x\\u{7}\n");
});

test("LineSplitter: characters and lines across chunks, CRLF, a line without end, one that is too long", () => {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) =>
    lines.push(line.length > 50 ? `${line.length}` : line),
  );
  const text = bytes("ä\r\nb\n\n");
  splitter.add(text.subarray(0, 1));
  splitter.add(text.subarray(1));
  splitter.add(bytes("x".repeat(40_000)));
  splitter.add(bytes("\nlast"));
  splitter.end();
  expect(lines).toEqual(["ä", "b", "", "16384", "16384", "7232", "last"]);
});

test("StderrRing keeps the last 64 KiB and gives twenty lines", () => {
  const ring = new StderrRing();
  expect(ring.lines()).toEqual([]);
  for (let at = 0; at < 30; at++) ring.append(bytes(`line ${at}\n\n`));
  expect(ring.lines()).toEqual(Array.from({ length: 20 }, (_, at) => `line ${at + 10}`));
  ring.append(bytes("y".repeat(3 * upstreamStderrBytesMax)));
  expect(ring.lines()).toEqual(["y".repeat(upstreamStderrBytesMax)]);
  for (let at = 0; at < 5_000; at++) ring.append(bytes("z".repeat(100)));
  expect(ring.lines()[0]?.length).toBe(upstreamStderrBytesMax);
});

const outcomeOf = async (written: Promise<void> | undefined): Promise<string> => {
  try {
    await written;
    return "ok";
  } catch (error) {
    return messageOf(error);
  }
};

test("InputQueue: a text that the pipe takes at once is not waited for, later ones follow in order", async () => {
  const written: string[] = [];
  let room: PromiseWithResolvers<void> | undefined;
  const queue = new InputQueue("s", (text) => {
    written.push(text);
    return room?.promise;
  });
  expect([queue.add("a"), queue.add("b")]).toEqual([undefined, undefined]);
  room = Promise.withResolvers<void>();
  const adding = ["c", "d", "e"].map((text) => outcomeOf(queue.add(text)));
  expect(written).toEqual(["a", "b", "c"]);
  room.resolve();
  room = undefined;
  expect(await Promise.all(adding)).toEqual(["ok", "ok", "ok"]);
  expect(written).toEqual(["a", "b", "c", "de"]);
  expect(queue.add("f")).toBeUndefined();
});

test("InputQueue writes in order, short messages together, long ones alone", async () => {
  const written: string[] = [];
  const queue = new InputQueue("s", async (text) => {
    await Bun.sleep(0);
    written.push(text.length > 10 ? String(text.length) : text);
  });
  const texts = ["a", "b", "c", "x".repeat(70_000), "d"];
  await Promise.all(texts.map((text) => outcomeOf(queue.add(text))));
  expect(written).toEqual(["a", "bc", "70000", "d"]);
});

test("InputQueue bounds the number of messages that wait", async () => {
  const queue = new InputQueue("s", () => new Promise(() => {}));
  for (let count = 0; count <= upstreamInputsWaitingMax; count += 1) void queue.add("x");
  const error: unknown = await queue.add("x")?.catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ message: expect.stringContaining("10000 messages wait") });
});

test("InputQueue fails everything once the server does not read", async () => {
  const queue = new InputQueue("s", async (text) => {
    await Bun.sleep(0);
    if (text.includes("bad")) throw new Error("EPIPE");
  });
  const failure = "The server s does not read: EPIPE.";
  const outcomes = ["a", "bad", "c"].map((text) => outcomeOf(queue.add(text)));
  expect(await Promise.all(outcomes)).toEqual(["ok", failure, failure]);
  expect(await outcomeOf(queue.add("later"))).toBe(failure);
});

test("RelayedPipes: chunks are taken one by one, writes wait, the last output comes after the end", async () => {
  const sent: object[] = [];
  const pipes = new RelayedPipes(7, (message) => sent.push(message));
  const base64 = Buffer.from("hello").toString("base64");
  pipes.receive("output", base64);
  const reader = pipes.output.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("hello");
  const writing = pipes.write("text");
  pipes.onTaken(undefined);
  await writing;
  const failing = pipes.write("more").catch((error: Error) => error.message);
  pipes.onTaken("EPIPE");
  expect(await failing).toBe("EPIPE");
  const waiting = pipes.write("last").catch((error: Error) => error.message);
  pipes.release();
  expect(await waiting).toBe("the server is gone");
  pipes.receive("output", base64);
  pipes.receive("output", undefined);
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("hello");
  expect((await reader.read()).done).toBe(true);
  expect(sent).toEqual([
    { kind: "process-output-taken", process: 7, pipe: "output" },
    { kind: "process-input", process: 7, text: "text" },
    { kind: "process-input", process: 7, text: "more" },
    { kind: "process-input", process: 7, text: "last" },
    { kind: "end-process-input", process: 7 },
    { kind: "process-output-taken", process: 7, pipe: "output" },
  ]);
});
