import { describe, expect, test } from "bun:test";
import {
  encodeDiscoverResult,
  encodeInitializeResult,
  type OfferedCapabilities,
} from "../../src/protocol/handshake-codec.ts";
import { legacyVersions, type ProtocolVersion } from "../../src/protocol/message.ts";
import {
  encodeCompletion,
  encodePromptResult,
  encodePromptsList,
} from "../../src/protocol/prompts.ts";
import {
  encodeResourceContents,
  encodeResourcesList,
  encodeResourceTemplatesList,
} from "../../src/protocol/resources-codec.ts";
import { encodeCallToolResult, encodeToolsListResult } from "../../src/protocol/result-codec.ts";
import type { ContentBlock, ToolListing } from "../../src/protocol/tool-types.ts";
import { hasSchemas, SchemaOf } from "../e2e/harness/schemas.ts";

const _meta = { "a/b": 1 };
const extras = {
  annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" },
  _meta,
} as const;
const icons = [{ src: "https://a/b.png", sizes: ["48x48"], theme: "light" }] as const;
const hints = { ttlMs: 1, cacheScope: "private" } as const;
const content: readonly ContentBlock[] = [
  { type: "text", text: "t", ...extras },
  { type: "image", data: "AAAA", mimeType: "image/png", ...extras },
  { type: "audio", data: "AAAA", mimeType: "audio/wav", ...extras },
  { type: "resource", resource: { uri: "file:///a", text: "t", _meta }, ...extras },
  { type: "resource_link", uri: "file:///a", name: "a", title: "A", size: 1, ...extras },
];
const tool: ToolListing = {
  name: "t",
  title: "T",
  description: "d",
  inputSchema: { type: "object" },
  outputSchema: { type: "array" },
  annotations: { readOnlyHint: true },
  icons,
  _meta,
};
const resource = { uri: "file:///a", name: "a", title: "A", size: 1, icons, ...extras };
const template = { uriTemplate: "file:///{a}", name: "a", title: "A", icons, ...extras };
const prompt = { name: "p", title: "P", arguments: [{ name: "x", title: "X" }], icons, _meta };
const offered: OfferedCapabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true },
  prompts: { listChanged: true },
  completions: true,
  tasks: true,
  skills: true,
};
const handshake = { offered, instructions: "i" };

/** Everything that there is to say, by the name of its type. */
function results(version: ProtocolVersion): Readonly<Record<string, string>> {
  const opening: Record<string, string> =
    version === "2026-07-28"
      ? { DiscoverResult: encodeDiscoverResult(handshake) }
      : { InitializeResult: encodeInitializeResult(version, handshake) };
  return {
    ...opening,
    ListToolsResult: encodeToolsListResult([tool], version, { nextCursor: "n" }),
    CallToolResult: encodeCallToolResult(
      { content, structuredContent: [1], isError: false, _meta },
      version,
    ),
    ListResourcesResult: encodeResourcesList(
      { items: [resource], nextCursor: "n" },
      version,
      hints,
    ),
    ListResourceTemplatesResult: encodeResourceTemplatesList({ items: [template] }, version, hints),
    ReadResourceResult: encodeResourceContents(
      [
        { uri: "file:///a", text: "t", _meta },
        { uri: "file:///b", blob: "AAAA", mimeType: "image/png" },
      ],
      version,
      hints,
    ),
    ListPromptsResult: encodePromptsList({ items: [prompt] }, version, hints),
    GetPromptResult: encodePromptResult(
      { messages: content.map((block) => ({ role: "user", content: block })) },
      version,
    ),
    CompleteResult: encodeCompletion(["a"], version),
  };
}

describe.skipIf(!hasSchemas)("results against the schemas", () => {
  test.each([...legacyVersions, "2026-07-28"] as const)("HP12: %s takes all of them", (version) => {
    const schema = new SchemaOf(version);
    const faults = Object.entries(results(version)).map(([name, json]) =>
      schema.faultIn(name, JSON.parse(json)),
    );
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });
});
