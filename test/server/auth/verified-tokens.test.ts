import { expect, test } from "bun:test";

import { VerifiedTokens } from "../../../src/server/auth/jwt-verifier.ts";
import { TestClock } from "./test-clock.ts";

test.each([
  [999, true],
  [1000, true],
  [1001, false],
])("VerifiedTokens: after %d tokens the first is still known: %p", (count, isKnown) => {
  const clock = new TestClock();
  const tokens = new VerifiedTokens(clock);
  const principal = (index: number) => ({ id: `jwt:i|${index}`, scopes: new Set<string>() });
  for (let index = 0; index < count; index += 1)
    tokens.add(`digest-${index}`, principal(index), clock.wallMs() + 1000);
  expect(tokens.get("digest-0")).toEqual(isKnown ? principal(0) : undefined);
  expect(tokens.get(`digest-${count - 1}`)).toEqual(principal(count - 1));
});

test("VerifiedTokens: a token that is added again pushes nothing out", () => {
  const clock = new TestClock();
  const tokens = new VerifiedTokens(clock);
  const principal = { id: "jwt:i|s", scopes: new Set<string>() };
  for (let index = 0; index < 1000; index += 1)
    tokens.add(`digest-${index}`, principal, clock.wallMs() + 1000);
  tokens.add("digest-999", principal, clock.wallMs() + 1000);
  expect(tokens.get("digest-0")).toEqual(principal);
});
