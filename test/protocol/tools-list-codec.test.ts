import { describe, expect, test } from "bun:test";
import { version as ownVersion } from "../../package.json";
import type { ProtocolVersion } from "../../src/protocol/message.ts";
import { encodeToolsListResult } from "../../src/protocol/result-codec.ts";
import type { ToolListing } from "../../src/protocol/tool-types.ts";

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
  ])("HP12: keeps what %s knows", (version, expected) => {
    expect(JSON.parse(encodeToolsListResult([listing], version))).toEqual(expected);
  });

  const icons = [{ src: "https://a/b.png" }];
  const _meta = { "a/b": 1 };
  test.each<[ProtocolVersion, Record<string, unknown>]>([
    ["2025-03-26", {}],
    ["2025-06-18", { _meta }],
    ["2025-11-25", { icons, _meta }],
    ["2026-07-28", { icons, _meta }],
  ])("HP12: of icons and _meta %s knows %j", (version, expected) => {
    const json = encodeToolsListResult([{ ...listing, icons, _meta }], version);
    const { tools } = JSON.parse(json) as { tools: Record<string, unknown>[] };
    const [shown] = tools;
    const extras = Object.entries(shown ?? {}).filter(([key]) => ["icons", "_meta"].includes(key));
    expect(Object.fromEntries(extras)).toEqual(expected);
  });

  const array = { type: "array", items: {} };
  test.each<[ProtocolVersion, unknown, boolean]>([
    ["2025-06-18", array, false],
    ["2025-11-25", array, false],
    ["2025-11-25", { oneOf: [] }, false],
    ["2025-11-25", outputSchema, true],
    ["2026-07-28", array, true],
  ])("HP12: %s lists the output schema %j: %p", (version, schema, isListed) => {
    const tool = { ...listing, outputSchema: schema as ToolListing["outputSchema"] & object };
    const { tools } = JSON.parse(encodeToolsListResult([tool], version)) as { tools: unknown[] };
    expect(Object.hasOwn(tools[0] as object, "outputSchema")).toBe(isListed);
  });

  test("names the next page, and how long the list may be kept", () => {
    const hints = { ttlMs: 7, cacheScope: "private" } as const;
    const json = encodeToolsListResult([], "2026-07-28", { hints, nextCursor: "n" });
    expect(JSON.parse(json)).toMatchObject({ tools: [], nextCursor: "n", ...hints });
    expect(JSON.parse(encodeToolsListResult([], "2025-11-25", { nextCursor: "n" }))).toEqual({
      tools: [],
      nextCursor: "n",
    });
  });

  test("keeps a title that the annotations have, for 2025-03-26", () => {
    const own = { ...listing, annotations: { ...hints, title: "Own" } };
    expect(JSON.parse(encodeToolsListResult([own], "2025-03-26"))).toEqual({
      tools: [{ name, description, inputSchema, annotations: { ...hints, title: "Own" } }],
    });
  });
});
