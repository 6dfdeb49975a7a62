import { describe, expect, test } from "bun:test";

import { isObject } from "../../src/base/values.ts";
import { modern, notification, request } from "../server/harness.ts";
import { type MemoryFixture, startMemoryFixture } from "./fixture-memory.ts";
import { pngBase64, wavBase64 } from "./samples.ts";

const image = { type: "image", data: pngBase64, mimeType: "image/png" };

async function call(fixture: MemoryFixture, name: string, args?: unknown): Promise<unknown> {
  const params = args === undefined ? { name } : { name, arguments: args };
  const [reply] = await fixture.exchange(modern(1, "tools/call", params));
  return isObject(reply) ? (reply.result ?? reply.error) : reply;
}

const complete = (...content: readonly unknown[]): unknown => ({
  resultType: "complete",
  content,
  isError: false,
  _meta: expect.anything(),
});

const text = (value: string): unknown => ({ type: "text", text: value });

describe("content tools", () => {
  test.each([
    ["test_simple_text", [text("This is a simple text response for testing.")]],
    ["test_image_content", [image]],
    ["test_audio_content", [{ type: "audio", data: wavBase64, mimeType: "audio/wav" }]],
    ["test_streaming_elicitation", [text("Nothing was asked.")]],
    ["test_reconnection", [text("The client came back for this.")]],
    ["test_logging_tool", [text("One message was logged, for those who asked for it.")]],
  ])("%s answers with its content and nothing before it", async (name, content) => {
    await using fixture = startMemoryFixture();
    expect(await call(fixture, name)).toEqual(complete(...content));
  });

  test("test_error_handling fails as a tool fails", async () => {
    await using fixture = startMemoryFixture();
    expect(await call(fixture, "test_error_handling")).toEqual({
      resultType: "complete",
      content: [text("This tool intentionally returns an error for testing")],
      isError: true,
      _meta: expect.anything(),
    });
  });

  test("test_tool_with_progress reports 0, 50 and 100 before its result", async () => {
    await using fixture = startMemoryFixture();
    await fixture.exchange(request(0, "initialize", { protocolVersion: "2025-06-18" }));
    const params = { name: "test_tool_with_progress", _meta: { progressToken: "p" } };
    const messages = await fixture.exchange(request(1, "tools/call", params), 4);
    const step = (progress: number): unknown =>
      notification("notifications/progress", { progressToken: "p", progress, total: 100 });
    expect(messages.slice(0, 3)).toEqual([step(0), step(50), step(100)]);
  });

  test("test_tool_with_logging logs three messages before its result", async () => {
    await using fixture = startMemoryFixture();
    await fixture.exchange(request(0, "initialize", { protocolVersion: "2025-06-18" }));
    const call = request(1, "tools/call", { name: "test_tool_with_logging" });
    const messages = await fixture.exchange(call, 4);
    const message = (data: string): unknown =>
      notification("notifications/message", { level: "info", data });
    expect(messages.slice(0, 3)).toEqual([
      message("Tool execution started"),
      message("Tool processing data"),
      message("Tool execution completed"),
    ]);
  });
});

describe("FixtureToolProvider", () => {
  test("tools without required arguments come first", async () => {
    await using fixture = startMemoryFixture();
    const [reply] = await fixture.exchange(modern(1, "tools/list"));
    expect(reply).toMatchObject({ result: { tools: { 0: { name: "test_simple_text" } } } });
  });

  test("a change of the tools is seen in the next list", async () => {
    await using fixture = startMemoryFixture();
    const appearing = expect.objectContaining({ name: "test_appearing_tool" });
    const tools = async (): Promise<unknown> => {
      const [reply] = await fixture.exchange(modern(2, "tools/list"));
      return reply;
    };
    expect(await tools()).not.toMatchObject({
      result: { tools: expect.arrayContaining([appearing]) },
    });
    await call(fixture, "test_trigger_tool_change");
    expect(await tools()).toMatchObject({
      result: { tools: expect.arrayContaining([appearing]) },
    });
  });

  test.each([
    ["greet", {}, "name is missing"],
    ["greet", { name: 1 }, "name must be of type string"],
    ["test_x_mcp_header", { level: 1.5 }, "level must be of type integer"],
  ])("%s with %j is refused: %s", async (name, args, problem) => {
    await using fixture = startMemoryFixture();
    expect(await call(fixture, name, args)).toMatchObject({
      content: [text(`Invalid arguments for ${name}: ${problem}`)],
      isError: true,
    });
  });

  test("an unknown tool is an error of the protocol", async () => {
    await using fixture = startMemoryFixture();
    expect(await call(fixture, "nope")).toMatchObject({ code: -32602 });
  });
});
