import { describe, expect, test } from "bun:test";
import { until } from "../commands/process/until.ts";
import { request, result, startServer } from "./harness.ts";

const initialize = request(0, "initialize", { protocolVersion: "2025-11-25" });
const call = request(1, "tools/call", { name: "Echo" });

describe("serveConnection()", () => {
  test("answers what was read before the input ended", async () => {
    const { transport, tools, connection, news } = startServer(60_000);
    transport.deliver(initialize, call);
    news();
    transport.close();
    tools.answer(0);
    await connection.ended;
    expect(news()).toEqual([result(1, { content: [] })]);
  });

  test("cancels what takes longer than the drain time, without a reply", async () => {
    const { transport, tools, connection, news } = startServer(1);
    transport.deliver(initialize, call);
    news();
    connection.shutdown();
    await connection.ended;
    expect(tools.calls[0]?.request.cancellation.isCancelled).toBe(true);
    expect(news()).toEqual([]);
  });

  test("tells that the client has gone before it waits for what is under way", async () => {
    const told: string[] = [];
    const onInputEnd = (): void => void told.push("gone");
    const { transport, tools, connection, news } = startServer(60_000, {}, "stdio", onInputEnd);
    transport.deliver(initialize, call);
    news();
    expect(told).toEqual([]);
    transport.close();
    await until(() => told.length > 0);
    tools.answer(0);
    await connection.ended;
    expect(told).toEqual(["gone"]);
  });

  test("ends at once when nothing is in flight", async () => {
    const { transport, connection } = startServer(60_000);
    transport.deliver(initialize);
    transport.close();
    await connection.ended;
    expect(transport.sent.length).toBe(1);
  });
});
