import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

import {
  removeDeadServers,
  ensureRunFolder,
  listPointers,
} from "../../../src/interact/attach/run-folder.ts";
import {
  attachConnectionsMax,
  attachForeignMsMax,
  attachRequestBytesMax,
  attachStateMs,
} from "../../../src/base/limits.ts";
import { loadSocketPeer } from "../../../src/commands/process/socket-owner.ts";
import type { ShownQuestions } from "../../../src/interact/questions/terminals.ts";
import { SupervisorHarness } from "../../commands/background/supervisor-harness.ts";
import { until } from "../../commands/process/until.ts";
import { AttachHarness, emptyState, RawTerminal } from "./attach-harness.ts";

const question: ShownQuestions = {
  id: "q",
  questions: [{ question: "Which?", header: null, options: [], multiSelect: false }],
  purpose: "question",
  asker: "test",
  workspace: "/",
  askedAt: 0,
};
const never = new AbortController().signal;
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("AttachServer", () => {
  test("folder, pointer and socket are this user's alone, and gone at the end", async () => {
    await using harness = new AttachHarness();
    const { socket } = await harness.open();
    const names = readdirSync(harness.runFolder);
    expect(names.sort()).toEqual(["abcdef012345.json", "abcdef012345.sock"]);
    expect(
      [harness.runFolder, ...names.map((name) => join(harness.runFolder, name))].map(modeOf),
    ).toEqual([0o700, 0o600, 0o600]);
    await harness.server?.[Symbol.asyncDispose]();
    expect([readdirSync(harness.runFolder), existsSync(socket)]).toEqual([[], false]);
  });

  test("a path that is too long for a socket is found all the same", async () => {
    await using harness = new AttachHarness(`${"deep".repeat(30)}/run`);
    const pointer = await harness.open("0123456789ab");
    expect(pointer.socket).toEndWith("/0123456789ab.sock");
    expect(Buffer.byteLength(pointer.socket)).toBeLessThanOrEqual(100);
    expect(modeOf(join(pointer.socket, ".."))).toBe(0o700);
    const terminal = await RawTerminal.attach(pointer);
    expect(terminal.messages.map(({ type }) => type)).toEqual(["hello", "state"]);
    await harness.server?.[Symbol.asyncDispose]();
    expect(existsSync(pointer.socket)).toBe(false);
  });

  test("changes are told when they happen, and not when nothing has changed", async () => {
    await using harness = new AttachHarness();
    const terminal = await RawTerminal.attach(await harness.open());
    harness.change();
    harness.state = { ...emptyState, clients: [{ client: "c", workspace: "/w", owner: "" }] };
    harness.change();
    await until(() => terminal.messages.length === 3);
    expect(terminal.messages[2]).toEqual({ type: "state", state: harness.state });
  });

  test("changes that come in a flood are looked at now and then, the last one too", async () => {
    await using harness = new AttachHarness();
    const terminal = await RawTerminal.attach(await harness.open());
    const startedAt = performance.now();
    for (let round = 1; round <= 40; round++) {
      harness.state = {
        ...emptyState,
        clients: [{ client: `c${round}`, workspace: "", owner: "" }],
      };
      harness.change();
      await Bun.sleep(5);
    }
    await until(() => JSON.stringify(terminal.messages.at(-1)).includes('"c40"'));
    const passedMs = performance.now() - startedAt;
    expect(harness.looks).toBeLessThanOrEqual(passedMs / attachStateMs + 2);
  });

  test("a server that cannot be found leaves nothing behind", async () => {
    await using harness = new AttachHarness();
    mkdirSync(join(harness.runFolder, "abcdef012345.json"), { recursive: true });
    const failure = await harness.open().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(readdirSync(harness.runFolder)).toEqual(["abcdef012345.json"]);
  });

  test.each<[what: string, text: (key: string) => string]>([
    ["a wrong key", (key) => greeting(`${key.slice(1)}x`)],
    ["no key", () => greeting("")],
    ["something else than a greeting", () => '{"type":"unwatch"}\n'],
    ["a second greeting", (key) => greeting(key) + greeting(key)],
    ["no JSON", (key) => `${greeting(key)}hello\n`],
    ["HTTP", () => "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a line without end", (key) => greeting(key) + "x".repeat(attachRequestBytesMax + 1)],
  ])("%s ends that connection, and no other", async (_, text) => {
    await using harness = new AttachHarness();
    const pointer = await harness.open();
    const good = await RawTerminal.attach(pointer);
    const bad = await RawTerminal.connect(pointer.socket);
    bad.write(text(pointer.key));
    await until(() => bad.isClosed);
    expect([good.isClosed, harness.questions.count]).toEqual([false, 1]);
  });

  test("before the key nothing is told", async () => {
    await using harness = new AttachHarness();
    const pointer = await harness.open();
    const stranger = await RawTerminal.connect(pointer.socket);
    const good = await RawTerminal.attach(pointer);
    void harness.questions.ask(question, never);
    await until(() => good.messages.some(({ type }) => type === "question"));
    expect([stranger.messages, harness.questions.count]).toEqual([[], 1]);
  });

  test("a terminal that reads nothing holds nobody up", async () => {
    await using harness = new AttachHarness();
    const pointer = await harness.open();
    const deaf = await RawTerminal.attach(pointer);
    const good = await RawTerminal.attach(pointer);
    deaf.pause();
    for (let round = 0; round < 20; round++) {
      const workspace = `${round}${"x".repeat(200_000)}`;
      harness.state = { ...emptyState, clients: [{ client: "c", workspace, owner: "" }] };
      harness.change();
      await until(() => JSON.stringify(good.messages.at(-1)).includes(`"${round}xx`));
    }
    expect(good.isClosed).toBe(false);
  });

  test("the system is asked who connects; another user is refused", async () => {
    await using harness = new AttachHarness();
    const pointer = await harness.open();
    const peerOf = loadSocketPeer();
    const uids: (number | undefined)[] = [];
    harness.isOwnUser = (fd) => uids.push(peerOf?.(fd)?.uid) === 1;
    const own = await RawTerminal.attach(pointer);
    const other = await RawTerminal.connect(pointer.socket);
    await until(() => other.isClosed);
    expect([own.isClosed, uids]).toEqual([false, [process.getuid?.(), process.getuid?.()]]);
  });

  test("lists do not count as somebody who could answer", async () => {
    await using harness = new AttachHarness();
    const { socket, key } = await harness.open();
    const list = await RawTerminal.connect(socket);
    list.send({ type: "attach", protocol: 1, key, mode: "look" });
    await until(() => list.messages.length === 2);
    expect(harness.questions.count).toBe(0);
  });

  test("what is no terminal of a person is told why, and shown nothing", async () => {
    await using harness = new AttachHarness();
    harness.whyNoAnswers = "it has no terminal";
    const { socket, key } = await harness.open();
    const answered = harness.questions.ask(question, AbortSignal.timeout(1));
    const forged = await RawTerminal.connect(socket);
    forged.send({ type: "attach", protocol: 1, key, mode: "terminal" });
    await until(() => forged.isClosed);
    expect(forged.messages.slice(1)).toEqual([{ type: "refused", reason: "it has no terminal" }]);
    expect([await answered, harness.questions.count]).toEqual([{ kind: "gone" }, 0]);
  });

  test("an answer of whoever was shown no question ends its connection and answers nothing", async () => {
    await using harness = new AttachHarness();
    const { socket, key } = await harness.open();
    const person = await RawTerminal.attach({ socket, key, serverId: "", pid: 0, host: "" });
    let end: unknown;
    void harness.questions.ask(question, never).then((reply) => (end = reply));
    const list = await RawTerminal.connect(socket);
    list.send({ type: "attach", protocol: 1, key, mode: "look" });
    const reply = { kind: "answered", answers: [{ labels: ["Allow once"], other: null }] } as const;
    list.send({ type: "answer", number: 1, reply });
    await until(() => list.isClosed);
    expect([end, person.isClosed]).toEqual([undefined, false]);
  });

  test("another protocol is told our number and nothing else", async () => {
    await using harness = new AttachHarness();
    const { socket, key } = await harness.open();
    const newer = await RawTerminal.connect(socket);
    newer.send({ type: "attach", protocol: 2, key, mode: "terminal" });
    await until(() => newer.messages.length === 1);
    harness.change();
    const good = await RawTerminal.attach({ socket, key, serverId: "", pid: 0, host: "" });
    expect([newer.messages.map(({ type }) => type), harness.questions.count]).toEqual([
      ["hello"],
      1,
    ]);
    good.close();
  });

  test("answers come back; when the terminal closes, the question is gone", async () => {
    await using harness = new AttachHarness();
    const pointer = await harness.open();
    const terminal = await RawTerminal.attach(pointer);
    const first = harness.questions.ask(question, never);
    const reply = { kind: "answered", answers: [{ labels: ["A"], other: "b" }] } as const;
    terminal.send({ type: "answer", number: 1, reply });
    expect(await first).toEqual(reply);
    const second = harness.questions.ask(question, never);
    terminal.close();
    expect(await second).toEqual({ kind: "gone" });
  });

  test("requests are answered, failures with their reason", async () => {
    await using harness = new AttachHarness();
    const terminal = await RawTerminal.attach(await harness.open());
    terminal.send({ type: "kill", request: 1, client: "stdio", taskId: 7 });
    terminal.send({ type: "cancel_callback", request: 2, client: "stdio", callbackId: 1 });
    await until(() => terminal.messages.length === 4);
    expect(harness.done).toEqual(["kill stdio 7"]);
    expect(terminal.messages.slice(2)).toEqual([
      { type: "done", request: 1, error: null },
      { type: "done", request: 2, error: "There is no callback 1 any more." },
    ]);
  });

  test("output: its end first, then what is new, then that it has ended", async () => {
    await using supervisors = new SupervisorHarness();
    await using harness = new AttachHarness();
    const task = await supervisors.background("echo one; read go; echo two", "client");
    harness.execution = task.execution;
    const terminal = await RawTerminal.attach(await harness.open());
    const pieces = () =>
      terminal.messages.flatMap((message) => (message.type === "output" ? [message.output] : []));
    terminal.send({ type: "watch", client: "stdio", taskId: 1 });
    await until(() => pieces().at(-1)?.isEnded === true);
    expect(pieces()[0]?.isFirst).toBe(true);
    expect(
      pieces()
        .slice(1)
        .some(({ isFirst }) => isFirst),
    ).toBe(false);
    expect(
      pieces()
        .map(({ text }) => text)
        .join(""),
    ).toBe("one\ntwo\n");
  });

  test("a flood is cut to its end, and what is missing is counted", async () => {
    await using supervisors = new SupervisorHarness();
    await using harness = new AttachHarness();
    const task = await supervisors.background("seq 1 400000");
    await task.execution.ended;
    harness.execution = task.execution;
    const terminal = await RawTerminal.attach(await harness.open());
    terminal.send({ type: "watch", client: "stdio", taskId: 1 });
    await until(() => terminal.messages.at(-1)?.type === "output");
    const message = terminal.messages.at(-1);
    if (message?.type !== "output") throw new Error("no output");
    const { text, skippedBytes, isEnded } = message.output;
    expect([text.endsWith("\n399999\n400000\n"), isEnded]).toEqual([true, true]);
    expect(text).toMatch(/^\d{6}\n/);
    expect(skippedBytes).toBe(task.execution.output.end - 64 * 1024);
  });

  test("connections are bounded, and a place that is free again is given out again", async () => {
    await using harness = new AttachHarness();
    const pointer = await harness.open();
    const many = await Promise.all(
      Array.from({ length: attachConnectionsMax }, () => RawTerminal.attach(pointer)),
    );
    const surplus = await RawTerminal.connect(pointer.socket);
    await until(() => surplus.isClosed);
    many[0]?.close();
    await until(() => harness.questions.count === attachConnectionsMax - 1);
    await RawTerminal.attach(pointer);
    expect(harness.questions.count).toBe(attachConnectionsMax);
  });
});

describe("what killed servers leave", () => {
  test("is removed, and nothing else is", async () => {
    await using harness = new AttachHarness();
    const alive = await harness.open();
    const dead = { serverId: "dead00", pid: 1, host: hostname(), key: "k" };
    const socket = join(harness.runFolder, "dead00.sock");
    writeFileSync(socket, "");
    writeFileSync(join(harness.runFolder, "dead00.json"), JSON.stringify({ ...dead, socket }));
    // A pointer to something that is no socket of its server would have that removed.
    const foreign = join(harness.folder, "precious.txt");
    writeFileSync(foreign, "");
    writeFileSync(
      join(harness.runFolder, "dead01.json"),
      JSON.stringify({ ...dead, socket: foreign }),
    );
    await removeDeadServers(harness.runFolder, "other");
    expect(await listPointers(harness.runFolder)).toEqual([alive]);
    expect([existsSync(socket), existsSync(foreign)]).toEqual([false, true]);
  });

  test("is kept while it may be alive on another machine with the same home", async () => {
    await using harness = new AttachHarness();
    const alive = await harness.open();
    const socket = join(harness.runFolder, "dead00.sock");
    const path = join(harness.runFolder, "dead00.json");
    const foreign = { serverId: "dead00", pid: 1, host: "elsewhere", socket, key: "k" };
    writeFileSync(path, JSON.stringify(foreign));
    await removeDeadServers(harness.runFolder, "other");
    expect(await listPointers(harness.runFolder)).toEqual([alive, foreign]);
    const old = new Date(Date.now() - attachForeignMsMax - 1_000);
    utimesSync(path, old, old);
    await removeDeadServers(harness.runFolder, "other");
    expect(await listPointers(harness.runFolder)).toEqual([alive]);
  });

  test("a folder of somebody else's making is not trusted", async () => {
    await using harness = new AttachHarness();
    writeFileSync(join(harness.folder, "file"), "");
    expect(ensureRunFolder(join(harness.folder, "file"))).rejects.toThrow();
  });
});

function greeting(key: string): string {
  return `${JSON.stringify({ type: "attach", protocol: 1, key, mode: "terminal" })}\n`;
}
