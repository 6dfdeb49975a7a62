import { expect, test } from "bun:test";

import { columns } from "../../src/cli/help-text.ts";

test("columns() aligns all but the last", () => {
  const rows = [
    ["fs", "stdio", "approved; until then here", "npx server"],
    ["remote", "http", "pending", "https://example.com/a/long/address"],
  ];
  expect(columns(rows)).toEqual([
    "  fs      stdio  approved; until then here  npx server",
    "  remote  http   pending                    https://example.com/a/long/address",
  ]);
  expect(columns([])).toEqual([]);
});
