import { describe, expect, test } from "bun:test";
import {
  classifyMessage,
  type ClassifiedMessage,
  type InvalidMessage,
} from "../../src/protocol/message.ts";

const V = "io.modelcontextprotocol/protocolVersion";
const C = "io.modelcontextprotocol/clientCapabilities";

function refused(message: string, id?: string | number): InvalidMessage {
  const text = `Invalid request: ${message}`;
  return id === undefined
    ? { kind: "invalid", code: -32600, message: text }
    : { kind: "invalid", code: -32600, message: text, id };
}

const idRule = 'member "id" must be a string or an integer within ±(2^53-1)';

describe("classifyMessage()", () => {
  test.each([0, -1, 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, "", "1", "😀\u2028"])(
    "HP5: keeps id %p with its type",
    (id) => {
      expect(classifyMessage({ jsonrpc: "2.0", id, method: "ping" })).toEqual({
        kind: "legacy-request",
        id,
        method: "ping",
        params: undefined,
      });
    },
  );

  test.each([
    ["null"],
    ["1.5"],
    ["true"],
    ["{}"],
    ["[1]"],
    ["1e400"],
    ["9007199254740992"],
    ["-9007199254740993"],
  ])("HP5: refuses id %s without id", (id) => {
    const value: unknown = JSON.parse(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    expect(classifyMessage(value)).toEqual(refused(idRule));
  });

  test.each<[unknown, ClassifiedMessage["kind"]]>([
    [{ [V]: "2026-07-28", [C]: {} }, "modern-request"],
    [{ [V]: 5 }, "modern-request"],
    [{ [C]: null }, "modern-request"],
    [{ progressToken: 1 }, "legacy-request"],
    [{}, "legacy-request"],
    ["text", "legacy-request"],
    [null, "legacy-request"],
    [[], "legacy-request"],
  ])("_meta %j makes a %s", (meta, kind) => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: meta } };
    expect(classifyMessage(message).kind).toBe(kind);
  });

  test.each<[unknown, ClassifiedMessage]>([
    [5, refused("a message must be a JSON object")],
    [null, refused("a message must be a JSON object")],
    ["text", refused("a message must be a JSON object")],
    [{}, refused('member "jsonrpc" must be "2.0"')],
    [{ jsonrpc: "1.0", id: 7, method: "ping" }, refused('member "jsonrpc" must be "2.0"', 7)],
    [{ jsonrpc: "2.0", id: 0, method: 5 }, refused('member "method" must be a string', 0)],
    [{ jsonrpc: "2.0", id: "" }, refused('member "method" is missing', "")],
    [
      { jsonrpc: "2.0", id: 1, method: "ping", params: [] },
      refused('member "params" must be an object', 1),
    ],
    [
      { jsonrpc: "2.0", id: 1, method: "ping", params: null },
      { kind: "legacy-request", id: 1, method: "ping", params: undefined },
    ],
    [
      { jsonrpc: "2.0", method: "n", params: 5 },
      { kind: "notification", method: "n", params: undefined },
    ],
    [
      { jsonrpc: "2.0", method: "n", params: { a: 1 } },
      { kind: "notification", method: "n", params: { a: 1 } },
    ],
    [
      { jsonrpc: "2.0", id: 3, result: {} },
      { kind: "response", id: 3, result: {}, error: undefined },
    ],
    [
      { jsonrpc: "2.0", id: null, error: { code: 1 } },
      { kind: "response", id: undefined, result: undefined, error: { code: 1 } },
    ],
    [
      { jsonrpc: "2.0", id: "s", method: null, params: null, result: { a: 1 }, error: null },
      { kind: "response", id: "s", result: { a: 1 }, error: undefined },
    ],
    [
      { jsonrpc: "2.0", id: "s", result: null, error: null },
      { kind: "response", id: "s", result: null, error: undefined },
    ],
    [
      { jsonrpc: "2.0", id: "s", method: null, result: null, error: { code: 1 } },
      { kind: "response", id: "s", result: null, error: { code: 1 } },
    ],
    [
      { jsonrpc: "2.0", id: "s", error: null },
      { kind: "response", id: "s", result: undefined, error: null },
    ],
    [{ jsonrpc: "2.0", id: 2, method: null }, refused('member "method" is missing', 2)],
    [[1, 2], { kind: "batch", elements: [1, 2] }],
  ])("%j", (value, expected) => {
    expect(classifyMessage(value)).toEqual(expected);
  });
});
