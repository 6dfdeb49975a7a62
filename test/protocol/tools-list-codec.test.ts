import { describe, expect, test } from "bun:test";
import { version as ownVersion } from "../../package.json";
import type { ToolListing } from "../../src/protocol/tool-types.ts";
import { encodeToolsListResult } from "../../src/protocol/tools-list-codec.ts";
import type { ProtocolVersion } from "../../src/protocol/versions.ts";

const hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const name = "Echo";
const title = "Echo text";
const description = "Gives text back.";
const inputSchema = { type: "object", properties: {} } as const;
const outputSchema = { type: "object" } as const;
const listing: ToolListing = {
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations: hints,
};
const full = { name, title, description, inputSchema, outputSchema, annotations: hints };

describe("encodeToolsListResult()", () => {
  test.each<[ProtocolVersion, unknown]>([
    ["2024-11-05", { tools: [{ name, description, inputSchema }] }],
    [
      "2025-03-26",
      { tools: [{ name, description, inputSchema, annotations: { ...hints, title } }] },
    ],
    ["2025-06-18", { tools: [full] }],
    ["2025-11-25", { tools: [full] }],
    [
      "2026-07-28",
      {
        resultType: "complete",
        tools: [full],
        ttlMs: 300_000,
        cacheScope: "public",
        _meta: {
          "io.modelcontextprotocol/serverInfo": {
            name: "scorpiox-code",
            title: "scorpiox-code",
            version: ownVersion,
            description:
              "One executable that gives an AI client working tools over the Model Context Protocol",
          },
        },
      },
    ],
  ])("A12: keeps what %s knows", (version, expected) => {
    expect(JSON.parse(encodeToolsListResult([listing], version))).toEqual(expected);
  });

  test("keeps a title that the annotations have, for 2025-03-26", () => {
    const own = { ...listing, annotations: { ...hints, title: "Own" } };
    expect(JSON.parse(encodeToolsListResult([own], "2025-03-26"))).toEqual({
      tools: [{ name, description, inputSchema, annotations: { ...hints, title: "Own" } }],
    });
  });
});
