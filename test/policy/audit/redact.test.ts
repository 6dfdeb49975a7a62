import { describe, expect, test } from "bun:test";

import { redact, secretsOf } from "../../../src/policy/audit/redact.ts";

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
  ])("%s", (text, expected) => {
    expect(redact(text, ["own-secret"])).toBe(expected);
  });

  test("secretsOf takes long values of names that say it", () => {
    const env = {
      A_TOKEN: "12345678",
      B_TOKEN: "1234567",
      HOME: "/home/somebody",
      DB_PASSWORD: "long enough",
      NO: undefined,
    };
    expect(secretsOf(env)).toEqual(["12345678", "long enough"]);
  });
});
