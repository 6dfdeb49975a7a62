import { describe, expect, test } from "bun:test";
import { version as ownVersion } from "../../package.json";
import {
  legacyVersions,
  modernVersions,
  type ProtocolVersion,
} from "../../src/protocol/message.ts";
import { badArguments, encodeCallToolResult } from "../../src/protocol/result-codec.ts";
import type { CallToolResult, ContentBlock } from "../../src/protocol/tool-types.ts";

const text = { type: "text", text: "hello" } as const;
const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const;
const audio = { type: "audio", data: "AAAAAA==", mimeType: "audio/wav" } as const;
const link = {
  type: "resource_link",
  uri: "file:///tmp/out.txt",
  name: "out.txt",
  description: "The whole output",
} as const;
const resource = { type: "resource", resource: { uri: "file:///a", text: "b" } } as const;
const structuredContent = { count: 2 };
const everything: CallToolResult = {
  content: [text, image, audio, resource, link],
  structuredContent,
  isError: false,
};

const audioText: ContentBlock = {
  type: "text",
  text: "[Audio, audio/wav, 4 bytes: not shown, protocol revision 2024-11-05 has no audio]",
};
const linkText: ContentBlock = {
  type: "text",
  text: "Resource: out.txt\nURI: file:///tmp/out.txt\nThe whole output",
};
const structureText: ContentBlock = { type: "text", text: '{"count":2}' };
const meta = {
  "io.modelcontextprotocol/serverInfo": {
    name: "scorpiox-code",
    title: "scorpiox-code",
    version: ownVersion,
    description:
      "One executable that gives an AI client working tools over the Model Context Protocol",
  },
};

function encoded(result: CallToolResult, version: ProtocolVersion): unknown {
  return JSON.parse(encodeCallToolResult(result, version));
}

describe("encodeCallToolResult()", () => {
  test.each<[ProtocolVersion, unknown]>([
    ["2024-11-05", { content: [text, image, audioText, resource, linkText], isError: false }],
    ["2025-03-26", { content: [text, image, audio, resource, linkText], isError: false }],
    ["2025-06-18", { ...everything }],
    ["2025-11-25", { ...everything }],
    ["2026-07-28", { ...everything, resultType: "complete", _meta: meta }],
  ])("HP12: shapes each kind of block for %s", (version, expected) => {
    expect(encoded(everything, version)).toEqual(expected);
  });

  const json = JSON.stringify(structuredContent);
  test.each<[string, ContentBlock[], ContentBlock[]]>([
    ["the same JSON", [{ type: "text", text: json }], []],
    ["any text", [text], []],
    ["the text of a resource", [resource], []],
    ["nothing", [], [structureText]],
    ["a blank text", [{ type: "text", text: " \n" }], [structureText]],
    ["a picture", [image], [structureText]],
    ["a link", [link], [structureText]],
  ])("the JSON is a text where there is none: beside %s", (_what, content, added) => {
    const result = { content, structuredContent, isError: true };
    const expected = { content: [...content, ...added], isError: true };
    expect(encoded(result, "2025-03-26")).toEqual(
      encoded({ ...expected, isError: true }, "2025-03-26"),
    );
  });

  test.each<[ProtocolVersion, unknown]>([
    ["2025-03-26", [1, 2]],
    ["2025-06-18", [1, 2]],
    ["2025-11-25", [1, 2]],
    ["2025-11-25", "text"],
    ["2025-11-25", 0],
    ["2025-11-25", null],
    ["2025-11-25", false],
  ])("HP12: in %s structured content %j is never sent as such", (version, value) => {
    const result = { structuredContent: value, isError: false };
    const asText = { type: "text", text: JSON.stringify(value) };
    expect([
      encoded({ ...result, content: [] }, version),
      encoded({ ...result, content: [text] }, version),
    ]).toEqual([
      { content: [asText], isError: false },
      { content: [text], isError: false },
    ]);
  });

  test.each([[[1, 2]], ["text"], [0], [null], [false]])("2026-07-28 carries %j", (value) => {
    const result = { content: [text], structuredContent: value, isError: false };
    expect(encoded(result, "2026-07-28")).toMatchObject({ structuredContent: value });
  });

  test("keeps _meta of the tool in every revision, beside our own server info", () => {
    const result = { content: [], isError: false, _meta: { "a/b": 1 } };
    expect(encoded(result, "2024-11-05")).toEqual(result);
    expect(encoded(result, "2026-07-28")).toMatchObject({ _meta: { "a/b": 1, ...meta } });
  });

  test.each([...legacyVersions, ...modernVersions])("always sends isError for %s", (version) => {
    expect(encoded({ content: [], isError: false }, version)).toMatchObject({ isError: false });
  });
});

describe("badArguments()", () => {
  test.each(["2024-11-05", "2025-03-26", "2025-06-18"] as const)("is -32602 for %s", (version) => {
    expect(badArguments(version, "m")).toEqual({
      kind: "fault",
      fault: { code: -32602, message: "m" },
    });
  });

  test.each(["2025-11-25", "2026-07-28"] as const)("is a result for %s", (version) => {
    const result: CallToolResult = { content: [{ type: "text", text: "m" }], isError: true };
    expect(badArguments(version, "m")).toEqual({
      kind: "result",
      json: encodeCallToolResult(result, version),
    });
  });
});
