import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { isSecretName } from "../../../src/base/secrets.ts";
import { redactedCharsMin } from "../../../src/base/upstream-limits.ts";
import { redactSecrets } from "../../../src/upstream/adapters/text-of.ts";

describe("[GW-42] redactSecrets()", () => {
  test.each([
    ["nothing to hide", [], "nothing to hide"],
    ["a secret, a secret", ["secret"], "a ***, a ***"],
    ["longer-secret secret", ["secret", "longer-secret"], "*** ***"],
    ["a.c abc", ["a.c+"], "a.c abc"],
    ["x$1y(", ["x$1y("], "***"],
    [JSON.stringify({ a: 'q"u\n' }), ['q"u\n'], '{"a":"***"}'],
    ["?t=p%40ss%20w", ["p@ss w"], "?t=***"],
    ["t=p%40ss+w", ["p@ss w"], "t=***"],
    [`Basic ${btoa("user:pass")}`, ["user:pass"], "Basic ***"],
    [
      "x".repeat(redactedCharsMin - 1),
      ["x".repeat(redactedCharsMin - 1)],
      "x".repeat(redactedCharsMin - 1),
    ],
    ["x".repeat(redactedCharsMin), ["x".repeat(redactedCharsMin)], "***"],
    ["lone \ud800xyz", ["\ud800xyz"], "lone ***"],
  ])("%.60j without %.60j", (text, secrets, result) => {
    expect(redactSecrets(text, secrets)).toBe(result);
  });

  test("leaves none of any secrets in any text", () => {
    const secret = fc.string({ unit: "grapheme", minLength: redactedCharsMin, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1 }), fc.array(fc.string()), (secrets, words) => {
        const text = secrets.map((one, index) => `${words[index] ?? " "}${one}`).join(" ");
        const left = redactSecrets(text, secrets);
        fc.pre(secrets.every((one) => !one.includes("*")));
        expect(secrets.filter((one) => left.includes(one))).toEqual([]);
      }),
    );
  });

  test("a line of 1 MB that nearly has 100 secrets stays as it is", () => {
    const secrets = Array.from({ length: 100 }, (_, index) => `secret-number-${index}`);
    const text = "secret-number ".repeat(70_000);
    expect(redactSecrets(text, secrets)).toBe(text);
  });
});

test.each([
  ["GITHUB_TOKEN", true],
  ["api_key", true],
  ["client-secret", true],
  ["PASSWORD", true],
  ["SSH_AUTH_SOCK", true],
  ["LOG_LEVEL", false],
  ["", false],
])("isSecretName(%s) is %p", (name, is) => {
  expect(isSecretName(name)).toBe(is);
});
