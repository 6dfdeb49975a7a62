import { describe, expect, test } from "bun:test";

import { redact, secretsOf } from "../../../../src/calls/policy/audit/audit-log.ts";

describe("redact (U-audit)", () => {
  const token = "x".repeat(36);
  test.each([
    [`git clone https://me:pa55@h/r`, "git clone https://me:[redacted]@h/r"],
    [`gh auth ghp_${token}`, "gh auth [redacted]"],
    [`use github_pat_${token} and glpat-${token}`, "use [redacted] and [redacted]"],
    [`a sk-ant-${token}`, "a [redacted]"],
    ["a AKIAIOSFODNN7EXAMPLE b", "a [redacted] b"],
    ["a xoxb-1234567890-abc b", "a [redacted] b"],
    ["curl -H 'Authorization: Bearer abc.def-ghi'", "curl -H 'Authorization: Bearer [redacted]'"],
    ["x eyJhbGciOiJI.eyJzdWIi.c2ln y", "x [redacted] y"],
    ["API_KEY=abc MY_TOKEN='a b' c", "API_KEY=[redacted] MY_TOKEN=[redacted] c"],
    ["a --password hunter2 --user me", "a --password [redacted] --user me"],
    ['{"client_secret": "s3"}', '{"client_secret": [redacted]}'],
    [
      "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest",
      "[redacted]\nrest",
    ],
    ["known own-secret here", "known [redacted] here"],
    ["echo hello world", "echo hello world"],
    ["A_TOKEN=a'b c'\\ d\"e f\" g", "A_TOKEN=[redacted] g"],
    ["A_TOKEN=$'a b' g", "A_TOKEN=[redacted] g"],
    ['A_TOKEN="a\\" b" g', "A_TOKEN=[redacted] g"],
    ['A_TOKEN="cut off, and', "A_TOKEN=[redacted]"],
    ["curl -u me:pa55 h", "curl -u me:[redacted] h"],
    ["git clone https://me:pa@55@h/r", "git clone https://me:[redacted]@h/r"],
  ])("%s", (text, expected) => {
    expect(redact(text, ["own-secret"])).toBe(expected);
  });

  // With an expression that tries every beginning and end each of these takes hours.
  test.each([
    "x",
    "-",
    "token",
    "token-",
    "token ",
    'token="',
    "token ' ",
    "://a:",
    "eyJaaaaaaaa-",
  ])("is done soon with very much of %j", (unit) => {
    const text = unit.repeat(1_000_000 / unit.length);
    expect(redact(text, []).length).toBeGreaterThan(0);
  });

  test("longer secrets go first: one may be a part of another", () => {
    const secrets = secretsOf({ A_TOKEN: "12345678", B_TOKEN: "0012345678" });
    expect(redact("a 0012345678 b", secrets)).toBe("a [redacted] b");
  });

  test("secretsOf takes long values of names that say it", () => {
    const env = {
      A_TOKEN: "12345678",
      B_TOKEN: "1234567",
      HOME: "/home/somebody",
      DB_PASSWORD: "long enough",
      NO: undefined,
    };
    expect(secretsOf(env)).toEqual(["long enough", "12345678"]);
  });
});
