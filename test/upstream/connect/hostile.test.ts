import { describe, expect, test } from "bun:test";

import type { ConnectionReply } from "../../../src/upstream/connect/connection.ts";
import { openScripted, toolCall, type Transport } from "./open-scripted.ts";

const MIB = 1024 * 1024;

async function failureOf(reply: Promise<ConnectionReply>): Promise<unknown> {
  const error = await reply.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return (error as { failure?: string } | undefined)?.failure;
}

describe("what a server writes that it should not", () => {
  // What it costs in memory is a check of its own, with the executable: this process grows for other reasons too.
  test("a line too long costs its call only [GW-10]", async () => {
    await using opened = await openScripted("stdio", {});
    const { connection } = opened;
    const call = connection.request(
      toolCall("huge_line", { bytes: 20 * MIB }, { timeoutMs: 30_000 }),
    );
    const other = connection.request(toolCall("sleep", { ms: 1 }));
    expect(await failureOf(call)).toBe("too_large");
    expect((await other).kind).toBe("result");
    expect(opened.told.closed).toEqual([]);
  });

  test("one whose id cannot be found ends the connection", async () => {
    await using opened = await openScripted("stdio", {});
    const call = opened.connection.request(
      toolCall("huge_line", { bytes: 17 * MIB, id_last: true }),
    );
    expect(await failureOf(call)).toBe("lost");
    expect(opened.told.closed).toEqual([expect.stringContaining("16 MiB")]);
  });

  test.each<Transport>(["stdio", "http"])(
    "%s: an answer of too many values costs its call only",
    async (transport) => {
      await using opened = await openScripted(transport, {});
      const { connection } = opened;
      const result = { content: [], many: Array.from({ length: 375_001 }, () => []) };
      expect(await failureOf(connection.request(toolCall("reply", { message: { result } })))).toBe(
        "too_large",
      );
      expect((await connection.request(toolCall("echo", { text: "alive" }))).kind).toBe("result");
    },
  );

  test("a request of its own that is too long answers no call of ours", async () => {
    await using opened = await openScripted("stdio", {});
    const { connection, told } = opened;
    const waiting = connection.request(toolCall("sleep", { ms: 300 }));
    const ids = [1, 2, 3, 4, 5];
    const lines = ids.map(
      (id) => `{"jsonrpc":"2.0","id":${id},"method":"x","params":${"[".repeat(1_001)}\n`,
    );
    await connection.request(toolCall("raw", { text: lines.join("") }));
    expect((await waiting).kind).toBe("result");
    expect(told.strays.length).toBe(5);
  });

  test.each<Transport>(["stdio", "http"])(
    "%s: what it says in an error is bounded",
    async (transport) => {
      await using opened = await openScripted(transport, { era: "legacy" });
      const error = { code: -32_000, message: "m".repeat(10_000), data: "d".repeat(1_100_000) };
      const reply = await opened.connection.request(toolCall("reply", { message: { error } }));
      expect(reply).toEqual({
        kind: "fault",
        fault: { code: -32_000, message: `${"m".repeat(1_999)}…` },
      });
    },
  );

  test.each<Transport>(["stdio", "http"])("%s: answers that are none", async (transport) => {
    await using opened = await openScripted(transport, {});
    const { connection } = opened;
    const reply = (message: object): Promise<ConnectionReply> =>
      connection.request(toolCall("reply", { message }));
    expect(await failureOf(reply({}))).toBe("protocol");
    expect(await failureOf(reply({ result: {}, error: { code: 1, message: "x" } }))).toBe(
      "protocol",
    );
    expect(await failureOf(reply({ error: "x" }))).toBe("protocol");
    expect(await reply({ result: { content: 7, odd: [1] } })).toEqual({
      kind: "result",
      result: { content: 7, odd: [1] },
    });
    expect(await failureOf(reply({ result: { resultType: "surprise" } }))).toBe("protocol");
    const late = { timeoutMs: 60 };
    for (const id of ["", null, "1", 999, 1.5, -1]) {
      const call = connection.request(toolCall("reply", { message: { id, result: {} } }, late));
      expect(["timeout", "protocol", "lost"]).toContain((await failureOf(call)) as string);
    }
    expect((await connection.request(toolCall("echo", { text: "alive" }))).kind).toBe("result");
  });

  test("over HTTP an answer to nobody fails the call that it came for, at once", async () => {
    await using opened = await openScripted("http", {});
    const { connection, told } = opened;
    for (const id of ["1", 999, null]) {
      const call = connection.request(toolCall("reply", { message: { id, result: {} } }));
      expect(await failureOf(call)).toBe("protocol");
    }
    expect(told.strays.length).toBeGreaterThan(1);
    expect((await connection.request(toolCall("echo", { text: "alive" }))).kind).toBe("result");
  });

  test("lines that are no messages go to its log, and nowhere else [GW-35]", async () => {
    const noise = ["hello", "", "{not json}", "42", "\u001b[31mred"];
    await using opened = await openScripted("stdio", { noise });
    await opened.connection.request(toolCall("raw", { text: '"a string"\n[]\n' }));
    expect(opened.told.strays).toEqual([
      "hello",
      "{not json}",
      "42",
      "\u001b[31mred",
      '"a string"',
    ]);
  });

  test("answers that nobody waits for are counted and dropped", async () => {
    await using opened = await openScripted("stdio", {});
    await opened.connection.request(toolCall("flood", { kind: "replies", count: 500 }));
    expect(opened.told.strays.length).toBe(500);
  });

  test.each(["logs", "list_changed", "progress", "garbage"])(
    "20 000 %s delay no other call for long",
    async (kind) => {
      await using opened = await openScripted("stdio", { era: "legacy" });
      const flood = opened.connection.request(
        toolCall("flood", { kind, count: 20_000 }, { onProgress: () => {} }),
      );
      expect((await opened.connection.request(toolCall("echo", { text: "x" }))).kind).toBe(
        "result",
      );
      expect((await flood).kind).toBe("result");
    },
  );

  test("its end fails what waits, with the last that it wrote", async () => {
    await using opened = await openScripted("stdio", { stderr: ["cannot open the database"] });
    const { connection, told } = opened;
    const waiting = connection.request(toolCall("hang"));
    expect(await failureOf(connection.request(toolCall("exit", { code: 7 })))).toBe("lost");
    expect(await failureOf(waiting)).toBe("lost");
    expect(told.closed).toEqual([expect.stringMatching(/status 7[^]*cannot open the database/)]);
    expect(await failureOf(connection.request(toolCall("echo")))).toBe("lost");
  });

  test.each([
    [
      "a start that fails [GW-35]",
      { exitAtStart: 3, stderr: ["no such module"] },
      /status 3[^]*no such module/,
    ],
    ["silence", { mute: true }, /No answer/],
    [
      "a revision that nobody knows",
      { era: "legacy", protocolVersion: "1999-01-01" },
      /1999-01-01/,
    ],
  ] as const)("%s is told when it is met", async (_, script, expected) => {
    // Only silence is waited for to its end.
    const options = { initTimeoutMs: "mute" in script ? 300 : 10_000 };
    const error: unknown = await openScripted("stdio", script, { options }).catch(
      (thrown: unknown) => thrown,
    );
    expect(String(error)).toMatch(expected);
  });
});
