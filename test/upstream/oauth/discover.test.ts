import { expect, test } from "bun:test";

import { covers, joinScopes, readChallenge } from "../../../src/upstream/oauth/discover.ts";

test.each<[string | null, object]>([
  [null, {}],
  ["", {}],
  ["Basic realm=x", {}],
  ["Bearer", {}],
  ['Bearer realm="a, b", scope="x y"', { scope: "x y" }],
  ['bearer scope=x, error="insufficient_scope"', { scope: "x", error: "insufficient_scope" }],
  ['Basic realm="x", Bearer scope="y"', { scope: "y" }],
  [
    'Bearer resource_metadata="https://a.test/\\"b", scope="x"',
    { resourceMetadata: 'https://a.test/"b', scope: "x" },
  ],
  ['Bearer scope="x", scope="y"', { scope: "x" }],
  ['Bearer scope="a\\\\b"', {}],
  [`Bearer scope="${"x".repeat(5_000)}"`, {}],
  [`Bearer ${'x="'.repeat(20_000)}`, {}],
])("challenge %#", (header, expected) => {
  expect(readChallenge(header)).toEqual(expected);
});

test("scopes are joined, each once", () => {
  expect(joinScopes("a b", undefined, "b c", "")).toBe("a b c");
  expect(joinScopes(undefined, " ")).toBeUndefined();
});

test.each([
  ["https://a.test/mcp", true],
  ["https://a.test", true],
  ["https://a.test/", true],
  ["https://a.test/mcp/", true],
  ["https://a.test/mc", false],
  ["https://a.test/mcp/x", false],
  ["https://a.test/mcp?x=1", false],
  ["https://b.test/mcp", false],
  ["http://a.test/mcp", false],
  ["https://a.test:444/mcp", false],
  ["x", false],
])("%s covers https://a.test/mcp: %p", (resource, expected) => {
  expect(covers(resource, new URL("https://a.test/mcp"))).toBe(expected);
});
