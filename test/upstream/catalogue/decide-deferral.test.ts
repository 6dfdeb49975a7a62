import { describe, expect, test } from "bun:test";

import { deferredTokensMin, deferredToolsMin } from "../../../src/base/upstream-limits.ts";
import {
  decideDeferral,
  type DeferralDecision,
  type DeferralParts,
  estimateTokens,
  isListed,
  type ListedParts,
} from "../../../src/upstream/catalogue/compose-tools.ts";
import { searched } from "../search/searched.ts";

const small = (count: number) => Array.from({ length: count }, (_, at) => searched("s", `t${at}`));

/** One tool of exactly so many estimated tokens. */
function ofTokens(tokens: number) {
  const bare = JSON.stringify(searched("s", "t").listing).length;
  return [searched("s", "t", { description: "d".repeat(tokens * 4 - bare) })];
}

const settled = (isDeferred: boolean): DeferralDecision => ({ isDeferred, isSettled: true });

describe("decideDeferral", () => {
  test.each<[string, Partial<DeferralParts>, DeferralDecision]>([
    ["no tools", {}, settled(false)],
    ["as many tools as are listed", { tools: small(deferredToolsMin) }, settled(false)],
    ["one more", { tools: small(deferredToolsMin + 1) }, settled(true)],
    ["as many tokens as are listed", { tools: ofTokens(deferredTokensMin) }, settled(false)],
    ["one more token", { tools: ofTokens(deferredTokensMin + 1) }, settled(true)],
    ["sticky", { tools: small(1), wasDeferred: true }, settled(true)],
    [
      "a server that is not known yet",
      { hasUnknownServer: true },
      { isDeferred: true, isSettled: false },
    ],
    ["the same with many tools", { hasUnknownServer: true, tools: small(16) }, settled(true)],
    [
      "switched off",
      { mode: "off", tools: small(500), wasDeferred: true, hasUnknownServer: true },
      settled(false),
    ],
    ["switched on", { mode: "on" }, settled(true)],
  ])("%s", (_, parts, decision) => {
    const all = { mode: "auto", tools: [], hasUnknownServer: false, wasDeferred: false } as const;
    expect(decideDeferral({ ...all, ...parts })).toEqual(decision);
  });
});

test("estimateTokens is a quarter of the compact JSON, rounded up", () => {
  const { listing } = searched("s", "t");
  const chars = JSON.stringify(listing).length;
  expect(estimateTokens(listing)).toBe(Math.ceil(chars / 4));
});

test.each<[string, ListedParts, boolean]>([
  [
    "deferred",
    { isDeferred: true, options: { defer: "auto", promote: false }, isPinned: false },
    false,
  ],
  [
    "not deferred",
    { isDeferred: false, options: { defer: "auto", promote: false }, isPinned: false },
    true,
  ],
  [
    "always_load",
    { isDeferred: true, options: { defer: "auto", promote: false }, isPinned: true },
    true,
  ],
  [
    "promote",
    { isDeferred: true, options: { defer: "auto", promote: true }, isPinned: false },
    true,
  ],
  [
    "defer = false",
    { isDeferred: true, options: { defer: false, promote: false }, isPinned: false },
    true,
  ],
  [
    "defer = true",
    { isDeferred: false, options: { defer: true, promote: false }, isPinned: false },
    false,
  ],
  [
    "defer = true, pinned",
    { isDeferred: false, options: { defer: true, promote: false }, isPinned: true },
    true,
  ],
])("isListed: %s", (_, parts, listed) => {
  expect(isListed(parts)).toBe(listed);
});
