import { describe, expect, test } from "bun:test";
import type { ProtocolVersion } from "../../src/protocol/message.ts";
import type { ResourceContents, ResourceListing } from "../../src/protocol/resource-types.ts";
import {
  encodeResourceContents,
  encodeResourcesList,
  encodeResourceTemplatesList,
} from "../../src/protocol/resources-codec.ts";
import { ownMeta } from "./own-meta.ts";

const hints = { ttlMs: 1, cacheScope: "public" } as const;
const icons = [
  { src: "https://a/b.png", mimeType: "image/png", sizes: ["any"], theme: "dark" },
] as const;
const annotations = { priority: 1, lastModified: "2026-01-01" };
const _meta = { "a/b": 1 };
const base = { uri: "file:///a", name: "a", description: "d", mimeType: "text/plain", size: 3 };
const entry: ResourceListing = { ...base, title: "A", annotations, icons: [...icons], _meta };
const template = { uriTemplate: "file:///{a}", name: "a", title: "A", annotations, icons, _meta };
const modernParts = { resultType: "complete", ...hints, _meta: ownMeta };

const oldEntry = { ...base, annotations: { priority: 1 } };
const shapes: readonly [ProtocolVersion, Record<string, unknown>][] = [
  ["2024-11-05", oldEntry],
  ["2025-03-26", oldEntry],
  ["2025-06-18", { ...base, title: "A", annotations, _meta }],
  ["2025-11-25", { ...base, title: "A", annotations, icons, _meta }],
  ["2026-07-28", { ...base, title: "A", annotations, icons, _meta }],
];

describe("encodeResourcesList()", () => {
  test.each(shapes)("HP12: keeps what %s knows", (version, resource) => {
    const page = { items: [entry], nextCursor: "n" };
    const expected = { resources: [resource], nextCursor: "n" };
    expect(JSON.parse(encodeResourcesList(page, version, hints))).toEqual(
      version === "2026-07-28" ? { ...modernParts, ...expected } : expected,
    );
  });

  test.each(["http://a/b.png", "javascript:alert(1)", "file:///etc/passwd", "/a.png"])(
    "an icon from %s is not shown",
    (src) => {
      const page = {
        items: [
          { ...base, icons: [{ src }, ...icons] },
          { ...base, icons: [{ src }] },
        ],
      };
      expect(JSON.parse(encodeResourcesList(page, "2025-11-25", hints))).toEqual({
        resources: [{ ...base, icons }, base],
      });
    },
  );
});

describe("encodeResourceTemplatesList()", () => {
  test.each<[ProtocolVersion, Record<string, unknown>]>([
    ["2024-11-05", { uriTemplate: "file:///{a}", name: "a", annotations: { priority: 1 } }],
    ["2025-06-18", { uriTemplate: "file:///{a}", name: "a", title: "A", annotations, _meta }],
    ["2025-11-25", template],
  ])("HP12: keeps what %s knows", (version, shown) => {
    expect(JSON.parse(encodeResourceTemplatesList({ items: [template] }, version, hints))).toEqual({
      resourceTemplates: [shown],
    });
  });

  test("HP10: modern", () => {
    expect(JSON.parse(encodeResourceTemplatesList({ items: [] }, "2026-07-28", hints))).toEqual({
      ...modernParts,
      resourceTemplates: [],
    });
  });
});

describe("encodeResourceContents()", () => {
  const contents: readonly ResourceContents[] = [
    { uri: "file:///a", mimeType: "text/plain", text: "", _meta },
    { uri: "file:///b", blob: "AAAA" },
  ];
  const [first, second] = contents;

  test.each<[ProtocolVersion, unknown]>([
    ["2025-03-26", { contents: [{ uri: "file:///a", mimeType: "text/plain", text: "" }, second] }],
    ["2025-06-18", { contents: [first, second] }],
    ["2026-07-28", { ...modernParts, contents: [first, second] }],
  ])("HP12: keeps what %s knows", (version, expected) => {
    expect(JSON.parse(encodeResourceContents(contents, version, hints))).toEqual(expected);
  });
});
