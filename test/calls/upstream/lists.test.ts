import { describe, expect, test } from "bun:test";

import { UpstreamListings } from "../../../src/calls/upstream/upstream-listings.ts";
import { upstreamChangeGatherMs } from "../../../src/base/upstream-limits.ts";
import type { KeptLists } from "../../../src/upstream/cache/kept-lists.ts";
import type { ServerInfo } from "../../../src/upstream/server-state.ts";
import type { UpstreamSnapshot } from "../../../src/upstream/snapshot.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { FakeUpstreams, listing, server, snapshotOf, tool } from "./fake-upstreams.ts";
import { GatewayHarness } from "./gateway-harness.ts";

interface Listed {
  readonly result: {
    readonly tools: readonly { readonly name: string; readonly _meta?: object }[];
  };
}

async function names(harness: GatewayHarness, isModern = false): Promise<readonly string[]> {
  const reply = await (isModern
    ? harness.modern("tools/list", {})
    : harness.send("tools/list", {}));
  return (reply as unknown as Listed).result.tools.map(({ name }) => name);
}

const hidden = (): UpstreamSnapshot => {
  const { listing: _, ...first } = tool("files", "read");
  return snapshotOf({ tools: [first, tool("web", "get")], isDeferred: true });
};

describe("tools/list [GW-17]", () => {
  test("ours, the two that find the others, then what is listed of them", async () => {
    await using harness = new GatewayHarness({ upstreams: new FakeUpstreams(hidden()) });
    await harness.initialize();
    expect(await names(harness)).toEqual(["Echo", "tool_search", "tool_call", "mcp__web__get"]);
  });

  test("nothing is added while all servers are switched off", async () => {
    const snapshot = snapshotOf({ servers: [server("files", "disabled")], tools: [] });
    await using harness = new GatewayHarness({ upstreams: new FakeUpstreams(snapshot) });
    await harness.initialize();
    expect(await names(harness)).toEqual(["Echo"]);
  });

  test("only the first one waits for servers of which nothing is known [GW-07]", async () => {
    await using harness = new GatewayHarness();
    await harness.initialize();
    for (let count = 0; count < 3; count++) await names(harness);
    expect(harness.upstreams.waits).toEqual([5_000]);
  });

  test("is the same before and after 100 searches, and nothing is told", async () => {
    await using harness = new GatewayHarness({ upstreams: new FakeUpstreams(hidden()) });
    await harness.initialize();
    const before = await harness.send("tools/list", {}, 1_000);
    for (let count = 0; count < 100; count++) await harness.call("tool_search", { query: "a" });
    const after = await harness.send("tools/list", {}, 1_001);
    expect(after["result"]).toEqual(before["result"] as object);
    expect(harness.transport.sent.filter((sent) => sent.includes("list_changed"))).toEqual([]);
  });

  test.each<[string, string, boolean, "auto" | "on" | "off", boolean]>([
    ["a client that hides tools itself gets all", "hider", false, "auto", true],
    ["others do not", "client", false, "auto", false],
    ["in the stateless era nobody's name counts", "hider", true, "auto", false],
    ["--defer off counts for all", "client", true, "off", true],
    ["--defer on too", "hider", false, "on", false],
  ])("%s", async (_about, name, isModern, defer, isWhole) => {
    await using harness = new GatewayHarness({ defer, upstreams: new FakeUpstreams(hidden()) });
    if (!isModern) await harness.initialize({}, "2025-11-25", name);
    const reply = await (isModern
      ? harness.modern("tools/list", {})
      : harness.send("tools/list", {}));
    const { tools } = (reply as unknown as Listed).result;
    expect(tools.some((each) => each.name === "mcp__files__read")).toBe(isWhole);
    expect(tools[0]?._meta).toEqual(isWhole ? { "anthropic/alwaysLoad": true } : undefined);
  });
});

describe("the first list of a later start [CN2]", () => {
  const kept: KeptLists = {
    servers: [{ state: "cached" }],
    ttlMs: 1_000,
    isPrivate: false,
    tools: [
      { listing: listing("mcp__files__read"), isHidden: true },
      { listing: listing("mcp__web__get") },
    ],
  };
  const later = (): FakeUpstreams => {
    const upstreams = new FakeUpstreams(undefined);
    upstreams.snapshot = undefined;
    upstreams.settling = new Promise(() => {});
    return upstreams;
  };

  test.each([
    ["client", ["Echo", "tool_search", "tool_call", "mcp__web__get"]],
    ["hider", ["Echo", "tool_search", "tool_call", "mcp__files__read", "mcp__web__get"]],
  ])("is that of the one before, at once, for a %s", async (name, expected) => {
    await using harness = new GatewayHarness({ upstreams: later(), keptLists: () => kept });
    await harness.initialize({}, "2025-11-25", name);
    expect(await names(harness)).toEqual(expected);
    expect(await names(harness)).toEqual(expected);
  });

  test.each<[string, UpstreamSnapshot, readonly string[]]>([
    ["nothing is told when it is still so", hidden(), []],
    [
      "a change is told, and no other list",
      snapshotOf({ tools: [tool("web", "other")] }),
      ["notifications/tools/list_changed"],
    ],
  ])("%s", async (_about, snapshot, expected) => {
    const upstreams = later();
    await using harness = new GatewayHarness({ upstreams, keptLists: () => kept });
    await harness.initialize();
    await names(harness);
    upstreams.snapshot = snapshot;
    upstreams.emit({ kind: "snapshot", changed: ["tools", "prompts", "resources", "servers"] });
    await Bun.sleep(upstreamChangeGatherMs * 2);
    const told = harness.transport.sent.flatMap(
      (text) => /notifications[^"]*/.exec(text)?.[0] ?? [],
    );
    expect(told).toEqual([...expected]);
  });

  test("the servers are looked at after it", async () => {
    const upstreams = later();
    await using harness = new GatewayHarness({ upstreams, keptLists: () => kept });
    await harness.initialize();
    await names(harness);
    await eventually("a look", () => upstreams.waits.length === 1);
  });
});

test("DF8: who may be asked about is known before servers have answered", async () => {
  const upstreams = new FakeUpstreams(undefined);
  upstreams.settling = new Promise(() => {});
  const lookedAt = new UpstreamListings({ upstreams, defer: "auto" }).lookedAt();
  const tell = (isLookedAt: boolean, ...servers: readonly ServerInfo[]): void => {
    upstreams.snapshot = snapshotOf({ servers, isLookedAt, isIncomplete: true });
    upstreams.emit({ kind: "snapshot", changed: ["servers"] });
  };
  tell(false, server("files", "starting"), server("repo", "starting"));
  expect(await Promise.race([lookedAt, Bun.sleep(0)])).toBeUndefined();
  tell(true, server("files", "starting"), server("repo", "untrusted"));
  expect((await lookedAt).servers.map(({ state }) => state)).toEqual(["starting", "untrusted"]);
  expect(upstreams.listeners.size).toBe(0);
});

describe("changes of other servers' lists", () => {
  const changed = (harness: GatewayHarness): readonly string[] =>
    harness.transport.sent.filter((sent) => sent.includes("list_changed"));

  test("are told once for all that comes together, and only when the list is another one", async () => {
    await using harness = new GatewayHarness({ upstreams: new FakeUpstreams(hidden()) });
    await harness.initialize();
    await names(harness);
    const tellTools = (snapshot: UpstreamSnapshot): void => {
      harness.upstreams.snapshot = snapshot;
      harness.upstreams.emit({ kind: "snapshot", changed: ["tools", "servers"] });
    };
    // A hidden tool more: the list is the same.
    const { listing: _, ...more } = tool("files", "write");
    tellTools({ ...hidden(), tools: [...hidden().tools, more] });
    await Bun.sleep(300);
    expect(changed(harness)).toEqual([]);
    tellTools({ ...hidden(), tools: [tool("web", "get"), tool("web", "put")] });
    tellTools({ ...hidden(), tools: [tool("web", "get"), tool("web", "post")] });
    harness.upstreams.emit({ kind: "snapshot", changed: ["prompts"] });
    await eventually("both are told", () => changed(harness).length === 2);
    expect(
      changed(harness)
        .map((text) => (JSON.parse(text) as { method: string }).method)
        .sort(),
    ).toEqual(["notifications/prompts/list_changed", "notifications/tools/list_changed"]);
    expect(await names(harness)).toEqual([
      "Echo",
      "tool_search",
      "tool_call",
      "mcp__web__get",
      "mcp__web__post",
    ]);
  });
});
