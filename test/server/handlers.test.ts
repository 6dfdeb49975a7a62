import { describe, expect, test } from "bun:test";
import { legacyVersions, type LegacyVersion } from "../../src/protocol/message.ts";
import { badArguments } from "../../src/protocol/result-codec.ts";
import { error, modern, request, result, startServer, startSession } from "./harness.ts";

describe("tools/list", () => {
  test.each([
    ["legacy", request(1, "tools/list", { cursor: "x" })],
    ["modern", modern(1, "tools/list", { cursor: "" })],
  ])("an unknown cursor is -32602 (%s)", async (_era, message) => {
    const { exchange } = await startSession("2025-11-25");
    expect(await exchange(1, message)).toEqual([
      error(
        1,
        -32602,
        "Invalid params: cursor is unknown, or the list has changed; ask without a cursor for the first page",
      ),
    ]);
  });
});

describe("tools/call", () => {
  test.each([
    [undefined, "Invalid params: name must be a tool's name"],
    [{}, "Invalid params: name must be a tool's name"],
    [{ name: 5 }, "Invalid params: name must be a tool's name"],
    [{ name: "" }, "Invalid params: name must be a tool's name"],
    [{ name: "x\0y" }, "Invalid params: name must not contain a NUL character"],
  ])("refuses %j", async (params, message) => {
    const { exchange, tools } = await startSession("2025-11-25");
    expect(await exchange(1, request(1, "tools/call", params))).toEqual([
      error(1, -32602, message),
    ]);
    expect(tools.calls).toEqual([]);
  });

  const notAnObject = "Invalid arguments for Echo: arguments must be an object";

  const argumentRows = legacyVersions.flatMap((version) =>
    [null, 5, [], "x"].map((args): [LegacyVersion, unknown] => [version, args]),
  );

  test.each(argumentRows)(
    "%s: answers arguments %j as its revision does",
    async (version, args) => {
      const { exchange, tools } = await startSession(version);
      const expected = badArguments(version, notAnObject);
      const [reply] = await exchange(
        1,
        request(1, "tools/call", { name: "Echo", arguments: args }),
      );
      expect(reply).toEqual(
        expected.kind === "fault"
          ? error(1, -32602, notAnObject)
          : result(1, JSON.parse(expected.json)),
      );
      expect(tools.calls).toEqual([]);
    },
  );

  test("hands the call to the tools and splices its JSON in", async () => {
    const { exchange, tools, transport } = await startSession("2025-03-26");
    transport.deliver(request(1, "tools/call", { name: "Echo" }));
    const asked = tools.calls[0]?.request;
    expect({ name: asked?.name, args: asked?.args, version: asked?.version }).toEqual({
      name: "Echo",
      args: undefined,
      version: "2025-03-26",
    });
    expect(asked?.client.limits).toEqual({ answerMs: 1, resultCharsMax: 3 });
    expect(asked?.onProgress).toBeUndefined();
    tools.answer(0, '{"spliced": [1,  2]}');
    await exchange(1);
    expect(transport.sent.at(-1)).toBe('{"jsonrpc":"2.0","id":1,"result":{"spliced": [1,  2]}}');
  });

  test("passes a fault of the tools on", async () => {
    const { exchange, tools, transport } = startServer();
    transport.deliver(modern(1, "tools/call", { name: "NoSuchTool" }));
    const fault = { code: -32602, message: "Unknown tool: NoSuchTool" };
    tools.calls[0]?.outcome.resolve({ kind: "fault", fault });
    expect(await exchange(1)).toEqual([error(1, -32602, "Unknown tool: NoSuchTool")]);
  });

  test("a modern call has the version and limits of its own envelope", async () => {
    const { tools, transport } = await startSession("2024-11-05");
    transport.deliver(modern(1, "tools/call", { name: "Echo" }));
    const asked = tools.calls[0]?.request;
    expect({ id: asked?.client.id, version: asked?.version, limits: asked?.client.limits }).toEqual(
      { id: "stdio", version: "2026-07-28", limits: { answerMs: 2, resultCharsMax: 3 } },
    );
    expect(await asked?.client.workspaceDir()).toBe("/fallback");
  });

  test("progress goes out before the reply and never after it", async () => {
    const { exchange, tools, transport } = await startSession("2025-06-18");
    const params = { name: "Echo", _meta: { progressToken: 0 } };
    transport.deliver(request(1, "tools/call", params));
    const report = tools.calls[0]?.request.onProgress;
    report?.("one");
    report?.("two");
    report?.("three");
    tools.answer(0);
    const progress = (number: number, message: string): unknown => ({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: 0, progress: number, message },
    });
    expect(await exchange(3)).toEqual([
      progress(1, "one"),
      progress(2, "two\nthree"),
      result(1, { content: [] }),
    ]);
    report?.("late");
    expect(await exchange(1, request(2, "ping"))).toEqual([result(2, {})]);
  });
});
