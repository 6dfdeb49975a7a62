import { describe, expect, test } from "bun:test";
import { version as ownVersion } from "../../package.json";
import {
  encodeDiscoverResult,
  encodeInitializeResult,
} from "../../src/protocol/handshake-codec.ts";
import type { LegacyVersion } from "../../src/protocol/message.ts";

const name = "scorpiox-code";
const title = "scorpiox-code";
const description =
  "One executable that gives an AI client working tools over the Model Context Protocol";
const instructions = "Use the tools.";
const offered = { tools: { listChanged: false }, completions: false, tasks: false, skills: false };

describe("encodeInitializeResult()", () => {
  test.each<[LegacyVersion, Record<string, string>]>([
    ["2024-11-05", { name, version: ownVersion }],
    ["2025-03-26", { name, version: ownVersion }],
    ["2025-06-18", { name, title, version: ownVersion }],
    ["2025-11-25", { name, title, version: ownVersion, description }],
  ])("for %s", (protocolVersion, serverInfo) => {
    expect(JSON.parse(encodeInitializeResult(protocolVersion, { offered, instructions }))).toEqual({
      protocolVersion,
      capabilities: { logging: {}, tools: {} },
      serverInfo,
      instructions: "Use the tools.",
    });
  });

  test("leaves empty instructions out", () => {
    expect(encodeInitializeResult("2025-11-25", { offered, instructions: "" })).not.toContain(
      "instructions",
    );
  });
});

describe("encodeDiscoverResult()", () => {
  test("lists modern revisions only", () => {
    expect(JSON.parse(encodeDiscoverResult({ offered, instructions }))).toEqual({
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { logging: {}, tools: {} },
      instructions: "Use the tools.",
      ttlMs: 3_600_000,
      cacheScope: "public",
      _meta: {
        "io.modelcontextprotocol/serverInfo": { name, title, version: ownVersion, description },
      },
    });
  });
});
