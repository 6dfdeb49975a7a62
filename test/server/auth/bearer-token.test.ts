import { describe, expect, test } from "bun:test";

import { hasTokenInQuery, parseBearerHeader } from "../../../src/server/auth/authorizer.ts";

describe("parseBearerHeader()", () => {
  test.each([
    null,
    "",
    "Basic YTpi",
    "Bearer",
    "bearer ",
    "Bearertoken",
    "token",
    "Negotiate x",
    "DPoP abc",
  ])("%p holds no bearer token", (value) => {
    expect(parseBearerHeader(value)).toEqual({ kind: "absent" });
  });

  test.each([
    ["Bearer abc", "abc"],
    ["bearer abc", "abc"],
    ["BEARER   a-._~+/9==", "a-._~+/9=="],
    [" Bearer abc ", "abc"],
  ])("%p holds %p", (value, token) => {
    expect(parseBearerHeader(value)).toEqual({ kind: "token", token });
  });

  test.each([
    "Bearer a b",
    "Bearer a, Bearer b",
    "Bearer a,b",
    "Bearer =",
    "Bearer a=b",
    'Bearer "a"',
    "Bearer ä",
  ])("%p is malformed", (value) => {
    expect(parseBearerHeader(value)).toEqual({ kind: "malformed" });
  });

  test.each([
    [8191, "token"],
    [8192, "token"],
    [8193, "malformed"],
  ])("a token of %d characters is: %s", (length, kind) => {
    expect(parseBearerHeader(`Bearer ${"t".repeat(length)}`).kind).toBe(kind as "token");
  });
});

describe("hasTokenInQuery()", () => {
  test.each([
    ["http://h/mcp", false],
    ["http://h/mcp?", false],
    ["http://h/token/access_token", false],
    ["http://h/mcp?a=access_token", false],
    ["http://h/mcp?tokens=1&xtoken=1", false],
    ["http://h/mcp?token=x", true],
    ["http://h/mcp?access_token=x", true],
    ["/mcp?a=1&access%5Ftoken=x", true],
    ["http://h/mcp?a=1&Access_Token=x", true],
    ["http://h/mcp?token", true],
    ["http://h/mcp?a?token=x&token=", true],
  ])("%p: %p", (url, expected) => {
    expect(hasTokenInQuery(url)).toBe(expected);
  });
});
