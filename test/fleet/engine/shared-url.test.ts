import { expect, test } from "bun:test";

import { parseFleetName, parseSharedUrl } from "../../../src/fleet/engine/shared-url.ts";

test.each([
  ["redis://127.0.0.1", "Redis at 127.0.0.1:6379"],
  ["rediss://me:secret@cache.example:6380/2", "Redis at cache.example:6380"],
  [" valkey://:secret@cache.example\n", "Valkey at cache.example:6379"],
])("parseSharedUrl(%j) is labelled %j", (text, label) => {
  expect(parseSharedUrl(text)).toEqual({ url: text.trim(), label });
});

test.each([
  ["cache.example:6379", "has the scheme cache.example:"],
  ["http://secret@cache.example", "has the scheme http:"],
  ["redis://", "has no host"],
  ["redis://a:1,b:2", "must have one address, not several"],
  ["redis://a.example/x", "has a path that is not a database number"],
  ["redis://a.example?secret", "has more than a host and a database number"],
  ["secret", "is not a URL"],
])("parseSharedUrl(%j) refuses it: %s", (text, reason) => {
  const attempt = (): unknown => parseSharedUrl(text);
  expect(attempt).toThrow(`SHARED_URL ${reason}: write it like `);
  expect(attempt).not.toThrow("secret");
});

test.each([
  ["default", true],
  ["team-7", true],
  ["a".repeat(40), true],
  ["a".repeat(41), false],
  ["", false],
  ["-a", false],
  ["a:b", false],
  ["Team", false],
])("parseFleetName(%j) is accepted: %p", (text, isAccepted) => {
  const attempt = (): unknown => parseFleetName(text);
  if (isAccepted) expect(attempt()).toBe(text);
  else expect(attempt).toThrow("is not a name");
});
