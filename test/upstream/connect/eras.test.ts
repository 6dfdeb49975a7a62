import { ConnectionError, type ConnectOptions } from "../../../src/upstream/connect/connection.ts";
import { describe, expect, test } from "bun:test";

import { openScripted, toolCall } from "./open-scripted.ts";
import type { UpstreamScript } from "../../fixtures/upstream/script.ts";

describe("openConnection(), era and starts", () => {
  test.each<[string, UpstreamScript, string, number]>([
    ["both", { era: "both" }, "modern", 1],
    ["modern", { era: "modern" }, "modern", 1],
    ["legacy that refuses the probe", { era: "legacy" }, "legacy", 1],
    ["legacy that ends at the probe", { era: "legacy", probe: "exit" }, "legacy", 2],
    [
      "legacy that answers the probe with no answer",
      { era: "legacy", probe: "garbage" },
      "legacy",
      1,
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

describe("openConnection(), what is known or wanted of the era", () => {
  type Row = [string, UpstreamScript, Partial<ConnectOptions>, string, number];
  test.each<Row>([
    ["refused once with -32022", { era: "modern", refuseOnce: true }, {}, "modern", 1],
    ["known to be legacy", { era: "legacy" }, { knownEra: "legacy" }, "legacy", 1],
    ["known to be modern", { era: "modern" }, { knownEra: "modern" }, "modern", 1],
    ["was legacy, is modern only", { era: "modern" }, { knownEra: "legacy" }, "modern", 1],
    ["was modern, is legacy only", { era: "legacy" }, { knownEra: "modern" }, "legacy", 1],
    ["wanted legacy, speaks both", {}, { era: "legacy" }, "legacy", 1],
    ["wanted modern", {}, { era: "modern" }, "modern", 1],
    ["an old revision", { era: "legacy", protocolVersion: "2024-11-05" }, {}, "legacy", 1],
  ])("%s", async (_, script, options, era, starts) => {
    await using opened = await openScripted("stdio", script, { options });
    expect([opened.connection.era, opened.processes.length]).toEqual([era, starts] as never);
    expect((await opened.connection.request(toolCall("echo"))).kind).toBe("result");
  });

  test.each<[string, UpstreamScript, Partial<ConnectOptions>, string]>([
    ["wanted modern, is legacy", { era: "legacy" }, { era: "modern" }, "protocol"],
    ["wanted legacy, is modern", { era: "modern" }, { era: "legacy" }, "protocol"],
    ["ends at once", { exitAtStart: 1 }, {}, "lost"],
  ])("%s: fails", async (_, script, options, failure) => {
    const error: unknown = await openScripted("stdio", script, { options }).catch(
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ failure });
  });

  test.each(["stdio", "http"] as const)(
    "%s: a connection that nobody wants is given up",
    async (transport) => {
      const leaving = new AbortController();
      setTimeout(() => leaving.abort(), 100);
      const { signal } = leaving;
      const error: unknown = await openScripted(transport, { mute: true }, { signal }).catch(
        (thrown) => thrown,
      );
      expect(error).toMatchObject({ failure: "cancelled" });
    },
  );
});

test("the client library is loaded for HTTP only [GW-38]", async () => {
  const probe = `
    import { openScripted } from ${JSON.stringify(`${import.meta.dir}/open-scripted.ts`)};
    const isLoaded = () => Object.keys(require.cache).some((path) => path.includes("modelcontextprotocol/client"));
    const seen = [];
    for (const transport of ["stdio", "http"]) {
      await using opened = await openScripted(transport, {});
      seen.push(isLoaded());
    }
    process.stdout.write(JSON.stringify(seen));
    process.exit(0);`;
  const child = Bun.spawn([process.execPath, "-e", probe], { stdout: "pipe", stderr: "inherit" });
  expect(await child.stdout.text()).toBe("[false,true]");
});
