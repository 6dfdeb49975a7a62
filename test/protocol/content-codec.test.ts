import { describe, expect, test } from "bun:test";
import type { ProtocolVersion } from "../../src/protocol/message.ts";
import { shapeContent } from "../../src/protocol/result-codec.ts";
import type { ContentBlock } from "../../src/protocol/tool-types.ts";

const annotations = { audience: ["user"], priority: 0.5, lastModified: "2026-01-01" } as const;
const older = { audience: ["user"], priority: 0.5 } as const;
const _meta = { "a/b": 1 };
const resource = { uri: "file:///a", mimeType: "text/plain", text: "t" };

const blocks: Readonly<Record<ContentBlock["type"], ContentBlock>> = {
  text: { type: "text", text: "t", annotations, _meta },
  image: { type: "image", data: "AAAA", mimeType: "image/png", annotations, _meta },
  audio: { type: "audio", data: "AAA=", mimeType: "audio/wav", annotations, _meta },
  resource: { type: "resource", resource: { ...resource, _meta }, annotations, _meta },
  resource_link: {
    type: "resource_link",
    uri: "file:///a",
    name: "a",
    title: "A",
    description: "The first",
    annotations,
    _meta,
  },
};

function shaped(block: ContentBlock, version: ProtocolVersion): unknown {
  return JSON.parse(JSON.stringify(shapeContent(block, version)));
}

describe("shapeContent()", () => {
  test.each(["2025-06-18", "2025-11-25", "2026-07-28"] as const)("%s knows it all", (version) => {
    for (const block of Object.values(blocks)) expect(shapeContent(block, version)).toBe(block);
  });

  test.each(["2024-11-05", "2025-03-26"] as const)(
    "HP12: %s: no _meta, no lastModified",
    (version) => {
      expect([blocks.text, blocks.image, blocks.resource].map((b) => shaped(b, version))).toEqual([
        { type: "text", text: "t", annotations: older },
        { type: "image", data: "AAAA", mimeType: "image/png", annotations: older },
        { type: "resource", resource, annotations: older },
      ]);
    },
  );

  test("HP12: audio becomes text in 2024-11-05 only", () => {
    expect(shaped(blocks.audio, "2025-03-26")).toEqual({
      type: "audio",
      data: "AAA=",
      mimeType: "audio/wav",
      annotations: older,
    });
    expect(shaped(blocks.audio, "2024-11-05")).toEqual({
      type: "text",
      text: "[Audio, audio/wav, 2 bytes: not shown, protocol revision 2024-11-05 has no audio]",
      annotations: older,
    });
  });

  test.each(["2024-11-05", "2025-03-26"] as const)("HP12: a link is text in %s", (version) => {
    expect(shaped(blocks.resource_link, version)).toEqual({
      type: "text",
      text: "Resource: A\nURI: file:///a\nThe first",
      annotations: older,
    });
  });

  test("annotations that hold nothing else vanish", () => {
    const block = { type: "text", text: "t", annotations: { lastModified: "x" } } as const;
    expect(shaped(block, "2025-03-26")).toEqual({ type: "text", text: "t" });
  });

  test("a block without extras is not copied", () => {
    const block = { type: "text", text: "t" } as const;
    expect(shapeContent(block, "2024-11-05")).toBe(block);
  });
});
