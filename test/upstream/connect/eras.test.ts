import { describe, expect, test } from "bun:test";

import { openScripted, toolCall } from "./open-scripted.ts";
import type { UpstreamScript } from "../../fixtures/upstream/script.ts";

describe("openConnection(), era and starts", () => {
  test.each<[string, UpstreamScript, string, number]>([
    ["both", { era: "both" }, "modern", 1],
    ["modern", { era: "modern" }, "modern", 1],
    ["legacy that refuses the probe", { era: "legacy" }, "legacy", 2],
    ["legacy that ends at the probe", { era: "legacy", probe: "exit" }, "legacy", 2],
    [
      "legacy that answers the probe with no answer",
      { era: "legacy", probe: "garbage" },
      "legacy",
      2,
    ],
  ])("stdio: %s", async (_, script, era, starts) => {
    await using opened = await openScripted("stdio", script);
    expect({ era: opened.connection.era, starts: opened.processes.length }).toEqual({
      era: era as never,
      starts,
    });
    const reply = await opened.connection.request(toolCall("echo", { text: "hello" }));
    expect(reply).toEqual({
      kind: "result",
      result: { content: [{ type: "text", text: "hello" }] },
    });
  });

  test.each<[string, UpstreamScript, string]>([
    ["both", { era: "both" }, "modern"],
    ["both, in streams", { era: "both", http: { reply: "sse" } }, "modern"],
    ["modern", { era: "modern" }, "modern"],
    ["legacy", { era: "legacy" }, "legacy"],
    ["legacy, in streams", { era: "legacy", http: { reply: "sse" } }, "legacy"],
    ["legacy without sessions", { era: "legacy", http: { sessions: false } }, "legacy"],
    ["legacy without GET", { era: "legacy", http: { noGet: true } }, "legacy"],
    ["the form of 2024-11-05", { era: "legacy", http: { form: "sse" } }, "legacy"],
  ])("http: %s", async (_, script, era) => {
    await using opened = await openScripted("http", script);
    expect(opened.connection.era).toBe(era as never);
    const reply = await opened.connection.request(toolCall("echo", { text: "hello" }));
    expect(reply).toEqual({
      kind: "result",
      result: { content: [{ type: "text", text: "hello" }] },
    });
    const catalogue = await opened.connection.readCatalogue(new AbortController().signal);
    expect(catalogue.problems).toEqual([]);
    expect([
      catalogue.prompts.length,
      catalogue.resources.length,
      catalogue.templates.length,
    ]).toEqual([2, 2, 1]);
  });
});
