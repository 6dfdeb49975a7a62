import { describe, expect, test } from "bun:test";
import { legacyStatus, modernStatus } from "../../../../src/server/transport/http/header-rules.ts";

describe("modernStatus() and legacyStatus()", () => {
  test.each<[string, number | undefined, number, number]>([
    ["a result", undefined, 200, 200],
    ["a parse error", -32700, 400, 400],
    ["an invalid request", -32600, 400, 400],
    ["an unknown method", -32601, 404, 200],
    ["a method's own parameters", -32602, 200, 200],
    ["an internal error", -32603, 200, 200],
    ["a header that differs", -32020, 400, 200],
    ["a missing client capability", -32021, 400, 200],
    ["a version that is not served", -32022, 400, 200],
    ["an old code for a missing resource", -32002, 200, 200],
    ["a code outside of the reserved range", 1, 200, 200],
  ])("HP5: %s (%p): modern %p, legacy %p", (_name, code, modern, legacy) => {
    expect([modernStatus(code), legacyStatus(code)]).toEqual([modern, legacy]);
  });
});
