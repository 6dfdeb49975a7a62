import { describe, expect, test } from "bun:test";
import {
  createFault,
  encodeError,
  encodeNotification,
  encodeRequest,
  encodeResult,
} from "../../src/protocol/json-rpc.ts";

describe("encodeResult()", () => {
  test.each([
    [0, "0"],
    [-1, "-1"],
    [9007199254740991, "9007199254740991"],
    ["", '""'],
    ["1", '"1"'],
    ['a"\n', '"a\\"\\n"'],
    ["\ud800", '"\\ud800"'],
  ])("echoes id %j as %s and splices the result in", (id, text) => {
    expect(encodeResult(id, '{"raw": 1}')).toBe(
      `{"jsonrpc":"2.0","id":${text},"result":{"raw": 1}}`,
    );
  });
});

describe("encodeError()", () => {
  test("leaves an unreadable id out", () => {
    expect(encodeError(undefined, createFault(-32700, "m"))).toBe(
      '{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}',
    );
  });

  test("keeps id 0 and data", () => {
    expect(encodeError(0, createFault(-32022, "m", { supported: [] }))).toBe(
      '{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"m","data":{"supported":[]}}}',
    );
  });
});

describe("encodeNotification() and encodeRequest()", () => {
  test("give one line of JSON", () => {
    expect(encodeNotification("n", { a: "\n" })).toBe(
      '{"jsonrpc":"2.0","method":"n","params":{"a":"\\n"}}',
    );
    expect(encodeRequest("server-1", "roots/list")).toBe(
      '{"jsonrpc":"2.0","id":"server-1","method":"roots/list"}',
    );
  });
});
