import { describe, expect, test } from "bun:test";
import { legacyVersions } from "../../src/protocol/message.ts";
import { encodeComplete } from "../../src/protocol/result-codec.ts";
import { ownMeta } from "./own-meta.ts";

const serverInfo = "io.modelcontextprotocol/serverInfo";
const hints = { ttlMs: 5, cacheScope: "private" } as const;

describe("encodeComplete()", () => {
  test("HP10: a modern result has type, hints and our server info", () => {
    expect(JSON.parse(encodeComplete({ a: 1 }, "2026-07-28", { hints }))).toEqual({
      resultType: "complete",
      a: 1,
      ttlMs: 5,
      cacheScope: "private",
      _meta: ownMeta,
    });
  });

  test("HP15: the server info is ours, whatever was given; the rest of _meta stays", () => {
    const meta = { [serverInfo]: { name: "upstream" }, "a/b": 1 };
    expect(JSON.parse(encodeComplete({}, "2026-07-28", { meta }))).toEqual({
      resultType: "complete",
      _meta: { "a/b": 1, ...ownMeta },
    });
  });

  test.each(legacyVersions)("HP10: a result of %s has nothing of it", (version) => {
    expect(JSON.parse(encodeComplete({ a: 1 }, version, { hints }))).toEqual({ a: 1 });
  });

  test.each([
    [{ "a/b": 1 }, { _meta: { "a/b": 1 } }],
    [{ "a/b": 1, [serverInfo]: {} }, { _meta: { "a/b": 1 } }],
    [{ [serverInfo]: {} }, {}],
    [{}, { _meta: {} }],
  ])("legacy: of _meta %j stays %j", (meta, expected) => {
    expect(JSON.parse(encodeComplete({}, "2024-11-05", { meta }))).toEqual(expected);
  });
});
