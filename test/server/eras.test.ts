import { describe, expect, test } from "bun:test";
import { encodeDiscoverResult } from "../../src/protocol/handshake-codec.ts";
import { legacyVersions } from "../../src/protocol/message.ts";
import { encodeToolsListResult } from "../../src/protocol/result-codec.ts";
import {
  C,
  V,
  error,
  listings,
  modern,
  notification,
  request,
  result,
  startServer,
  startSession,
} from "./harness.ts";

const modernList = JSON.parse(encodeToolsListResult(listings, "2026-07-28")) as unknown;
const offered = { tools: { listChanged: false }, completions: false, tasks: false, skills: false };
const discovered = JSON.parse(
  encodeDiscoverResult({ offered, instructions: "Use the tools." }),
) as unknown;

describe("eras on one connection", () => {
  test("HP1, KF1: each answer has the shape of its own era, in any order", async () => {
    const { exchange } = startServer();
    expect(await exchange(1, modern(1, "server/discover"))).toEqual([result(1, discovered)]);
    expect(await exchange(1, modern(2, "tools/list"))).toEqual([result(2, modernList)]);
    const [opened] = await exchange(1, request(3, "initialize", { protocolVersion: "2024-11-05" }));
    expect(opened).toMatchObject({ id: 3, result: { protocolVersion: "2024-11-05" } });
    const legacyList = JSON.parse(encodeToolsListResult(listings, "2024-11-05")) as unknown;
    expect(await exchange(1, request(4, "tools/list"))).toEqual([result(4, legacyList)]);
    expect(await exchange(1, modern(5, "tools/list"))).toEqual([result(5, modernList)]);
    expect(await exchange(1, modern(6, "server/discover"))).toEqual([result(6, discovered)]);
    expect(await exchange(1, request(7, "tools/list"))).toEqual([result(7, legacyList)]);
  });

  test.each<[unknown, string]>([
    ...legacyVersions.map((version): [unknown, string] => [version, version]),
    ["2026-07-28", "2025-11-25"],
    ["1999-01-01", "2025-11-25"],
    ["", "2025-11-25"],
    [5, "2025-11-25"],
    [undefined, "2025-11-25"],
  ])("HP2: initialize for %p is answered with %p", async (asked, answered) => {
    const { exchange } = startServer();
    const [reply] = await exchange(1, request(0, "initialize", { protocolVersion: asked }));
    expect(reply).toMatchObject({ id: 0, result: { protocolVersion: answered } });
  });

  test("HP2: initialize without params opens a session too", async () => {
    const { exchange } = startServer();
    const [reply] = await exchange(1, request("", "initialize"));
    expect(reply).toMatchObject({ id: "", result: { protocolVersion: "2025-11-25" } });
  });

  test.each([
    "ping",
    "initialize",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/list",
    "tasks/result",
    "no/such",
    "__proto__",
  ])("HP3: %s with a modern envelope does not exist", async (method) => {
    const { exchange } = await startSession("2025-11-25");
    expect(await exchange(1, modern(1, method))).toEqual([
      error(1, -32601, `Method not found: ${method}`),
    ]);
  });

  test("HP3: ping and logging/setLevel without envelope work in a session", async () => {
    const { exchange } = await startSession("2025-11-25");
    const setLevel = request(2, "logging/setLevel", { level: "error" });
    expect(await exchange(2, request(1, "ping"), setLevel)).toEqual([result(1, {}), result(2, {})]);
    const [reply] = await exchange(1, request(3, "logging/setLevel", { level: "loud" }));
    expect(reply).toMatchObject({ id: 3, error: { code: -32602 } });
  });

  test.each([
    ["2025-11-25", -32022],
    ["1999-01-01", -32022],
    [5, -32602],
  ])("a modern envelope for %p is answered with %d", async (version, code) => {
    const { exchange } = startServer();
    const message = request(1, "tools/list", { _meta: { [V]: version, [C]: {} } });
    const [reply] = await exchange(1, message);
    expect(reply).toMatchObject({ id: 1, error: { code } });
  });

  test("an envelope fault comes before the method", async () => {
    const { exchange } = startServer();
    const [reply] = await exchange(1, request(1, "no/such", { _meta: { [V]: "2026-07-28" } }));
    expect(reply).toMatchObject({ id: 1, error: { code: -32602 } });
  });

  test("server/discover without envelope is -32602", async () => {
    const { exchange } = startServer();
    const [reply] = await exchange(1, request(1, "server/discover"));
    expect(reply).toMatchObject({ id: 1, error: { code: -32602 } });
  });

  test("before initialize ping is answered and others are told what to do", async () => {
    const { exchange } = startServer();
    const messages = [request(1, "ping"), request(2, "tools/list"), request(3, "no/such")];
    expect(await exchange(3, ...messages)).toEqual([
      result(1, {}),
      error(2, -32600, "tools/list needs a session: send initialize first"),
      error(3, -32600, "no/such needs a session: send initialize first"),
    ]);
  });

  test("in a session an unknown method is -32601", async () => {
    const { exchange } = await startSession("2025-06-18");
    expect(await exchange(1, request(1, "resources/list"))).toEqual([
      error(1, -32601, "Method not found: resources/list"),
    ]);
  });

  test("unknown notifications and stray responses are not answered", async () => {
    const { exchange } = await startSession("2025-06-18");
    const replies = await exchange(
      1,
      notification("notifications/whatever", { a: 1 }),
      notification("notifications/cancelled"),
      notification("notifications/cancelled", { requestId: "never" }),
      { jsonrpc: "2.0", id: 424242, result: {} },
      { jsonrpc: "2.0", id: "server-1", error: { code: 1, message: "x" } },
      { jsonrpc: "2.0", id: null, error: { code: 1, message: "x" } },
      request("last", "ping"),
    );
    expect(replies).toEqual([result("last", {})]);
  });
});
