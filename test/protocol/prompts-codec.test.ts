import { describe, expect, test } from "bun:test";
import type { ProtocolVersion } from "../../src/protocol/message.ts";
import {
  encodePromptResult,
  encodePromptsList,
  type PromptListing,
  type PromptResult,
} from "../../src/protocol/prompts.ts";
import { ownMeta } from "./own-meta.ts";

const hints = { ttlMs: 1, cacheScope: "private" } as const;
const icons = [{ src: "data:image/png;base64,AAAA" }];
const argument = { name: "x", title: "X", description: "dx", required: true };
const listing: PromptListing = {
  name: "p",
  title: "P",
  description: "d",
  arguments: [argument],
  icons,
  _meta: { "a/b": 1 },
};
const { icons: _icons, ...withoutIcons } = listing;
const oldest = {
  name: "p",
  description: "d",
  arguments: [{ name: "x", description: "dx", required: true }],
};

describe("encodePromptsList()", () => {
  test.each<[ProtocolVersion, unknown]>([
    ["2024-11-05", { prompts: [oldest] }],
    ["2025-03-26", { prompts: [oldest] }],
    ["2025-06-18", { prompts: [withoutIcons] }],
    ["2025-11-25", { prompts: [listing] }],
    ["2026-07-28", { resultType: "complete", prompts: [listing], ...hints, _meta: ownMeta }],
  ])("HP12: keeps what %s knows", (version, expected) => {
    expect(JSON.parse(encodePromptsList({ items: [listing] }, version, hints))).toEqual(expected);
  });
});

describe("encodePromptResult()", () => {
  const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" } as const;
  const link = { type: "resource_link", uri: "file:///a", name: "a" } as const;
  const result: PromptResult = {
    description: "d",
    messages: [
      { role: "user", content: audio },
      { role: "assistant", content: link },
    ],
  };
  const linkText = { type: "text", text: "Resource: a\nURI: file:///a" };
  const audioText = {
    type: "text",
    text: "[Audio, audio/wav, 3 bytes: not shown, protocol revision 2024-11-05 has no audio]",
  };

  test.each<[ProtocolVersion, unknown, unknown]>([
    ["2024-11-05", audioText, linkText],
    ["2025-03-26", audio, linkText],
    ["2025-06-18", audio, link],
    ["2025-11-25", audio, link],
  ])("HP12: shapes the content of messages for %s", (version, first, second) => {
    expect(JSON.parse(encodePromptResult(result, version))).toEqual({
      description: "d",
      messages: [
        { role: "user", content: first },
        { role: "assistant", content: second },
      ],
    });
  });

  test("HP10: a modern result is not cacheable", () => {
    expect(JSON.parse(encodePromptResult({ messages: [] }, "2026-07-28"))).toEqual({
      resultType: "complete",
      messages: [],
      _meta: ownMeta,
    });
  });
});
