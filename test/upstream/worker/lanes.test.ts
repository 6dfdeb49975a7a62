import { describe, expect, test } from "bun:test";
import {
  upstreamEventsAtOnceMax,
  upstreamEventsWaitingMax,
  upstreamKeepBytesMax,
  upstreamSliceCharsMax,
} from "../../../src/base/upstream-limits.ts";
import {
  emptySnapshot,
  type ToolEntry,
  type UpstreamSnapshot,
} from "../../../src/upstream/snapshot.ts";
import type { FromUpstreamPost, LaneEvent } from "../../../src/upstream/worker/messages.ts";
import {
  type SnapshotSlice,
  SnapshotAssembly,
  SnapshotSender,
} from "../../../src/upstream/worker/snapshot-slices.ts";
import { EventOutbox } from "../../../src/upstream/worker/outbox.ts";
import { WorkerAsks } from "../../../src/upstream/worker/worker-asks.ts";
import { RestartPause } from "../../../src/upstream/worker/restart-state.ts";

const failure = (text: string): LaneEvent => ({
  kind: "event",
  event: { kind: "failure", server: "s", reason: "timeout", text },
});
const progress = (id: number, value: number): LaneEvent => ({
  kind: "progress",
  id,
  progress: value,
});

describe("EventOutbox", () => {
  const collecting = (): { bundles: (readonly LaneEvent[])[]; outbox: EventOutbox } => {
    const bundles: (readonly LaneEvent[])[] = [];
    return { bundles, outbox: new EventOutbox((events) => bundles.push(events)) };
  };

  test("hands over the first at once, the rest in bundles as they are taken", () => {
    const { bundles, outbox } = collecting();
    for (let at = 0; at < upstreamEventsAtOnceMax + 2; at++) outbox.add(failure(String(at)));
    expect(bundles.map(({ length }) => length)).toEqual([1]);
    outbox.onTaken();
    outbox.onTaken();
    expect(bundles.map(({ length }) => length)).toEqual([1, upstreamEventsAtOnceMax, 1]);
    outbox.onTaken();
    outbox.onTaken();
    expect(bundles.length).toBe(3);
  });

  test("keeps the newest progress of each call, and the newest update of each resource", () => {
    const { bundles, outbox } = collecting();
    const updated: LaneEvent = {
      kind: "event",
      event: { kind: "resource-updated", uri: "scorpiox://mcp/s/x" },
    };
    outbox.add(failure("first"));
    for (const value of [1, 2, 3]) outbox.add(progress(7, value));
    outbox.add(progress(8, 1));
    outbox.add(updated);
    outbox.add(updated);
    outbox.onTaken();
    expect(bundles[1]).toEqual([progress(7, 3), progress(8, 1), updated]);
  });

  test.each([
    [upstreamEventsWaitingMax - 1, 0],
    [upstreamEventsWaitingMax, 0],
    [upstreamEventsWaitingMax + 1, 1],
  ])("%d that wait drop %d, and say so", (count, dropped) => {
    const { bundles, outbox } = collecting();
    for (let at = 0; at <= count; at++) outbox.add(failure(String(at)));
    for (let at = 0; at < 50; at++) outbox.onTaken();
    const all = bundles.flat();
    const notices = all.filter(({ kind, ...rest }) => {
      return kind === "event" && JSON.stringify(rest).includes("were dropped");
    });
    expect(notices.length).toBe(Math.min(1, dropped));
    expect(all.length - notices.length).toBe(count + 1 - dropped);
  });

  test("what a call has told goes before its answer; a cancelled one tells nothing more", () => {
    const { bundles, outbox } = collecting();
    outbox.add(failure("first"));
    outbox.add(progress(1, 5));
    outbox.add(progress(2, 5));
    outbox.flush(1);
    outbox.forget(2);
    outbox.flush(3);
    outbox.onTaken();
    outbox.onTaken();
    expect(bundles.slice(1)).toEqual([[progress(1, 5)]]);
  });
});

describe("snapshots", () => {
  const tool = (at: number, chars: number): ToolEntry => ({
    name: `mcp__s__t${at}`,
    server: "s",
    tool: "x".repeat(chars),
  });
  const snapshotOf = (revision: number, tools: ToolEntry[]): UpstreamSnapshot => ({
    ...emptySnapshot,
    revision,
    tools,
  });
  const settle = (): Promise<void> => Promise.resolve();

  const linked = () => {
    const parts: SnapshotSlice[] = [];
    const assembly = new SnapshotAssembly();
    const arrived: unknown[] = [];
    const sender = new SnapshotSender((slice) => {
      parts.push(slice);
      const done = assembly.add(JSON.parse(JSON.stringify(slice)) as SnapshotSlice);
      if (done !== undefined) arrived.push(done);
    });
    const takeAll = (): void => {
      for (let at = 0; at < 1_000; at++) sender.onTaken();
    };
    return { parts, arrived, sender, takeAll };
  };

  test("cross in parts of 64 KiB and are whole again", async () => {
    const { parts, arrived, sender, takeAll } = linked();
    const tools = Array.from({ length: 500 }, (_, at) => tool(at, 1_000));
    tools[250] = tool(250, 3 * upstreamSliceCharsMax);
    sender.publish(snapshotOf(1, tools));
    sender.tellChanged(["tools"]);
    await settle();
    expect(parts.length).toBe(1);
    takeAll();
    expect(arrived).toEqual([{ snapshot: snapshotOf(1, tools), changed: ["tools"] }]);
    const sizes = parts.map((part) => JSON.stringify(part).length);
    expect(sizes.filter((size) => size > upstreamSliceCharsMax * 1.1).length).toBe(1);
    expect(parts.length).toBeGreaterThan(9);
  });

  test("of those that come meanwhile only the newest follows, with all that has changed", async () => {
    const { arrived, sender, takeAll } = linked();
    sender.publish(snapshotOf(1, [tool(1, 1)]));
    await settle();
    sender.publish(snapshotOf(2, []));
    expect(sender.tellChanged(["prompts"])).toBe(true);
    sender.publish(snapshotOf(3, [tool(3, 1)]));
    expect(sender.tellChanged(["tools"])).toBe(true);
    takeAll();
    expect(arrived).toEqual([
      { snapshot: snapshotOf(1, [tool(1, 1)]), changed: [] },
      { snapshot: snapshotOf(3, [tool(3, 1)]), changed: ["prompts", "tools"] },
    ]);
    expect(sender.tellChanged(["tools"])).toBe(false);
  });
});

test("RestartPause: none at first, then 1, 2, 4, 8, 16 s and no longer", () => {
  const pause = new RestartPause();
  pause.onStart();
  expect(Array.from({ length: 8 }, () => pause.onLoss())).toEqual([
    0, 1_000, 2_000, 4_000, 8_000, 16_000, 16_000, 16_000,
  ]);
});

test("[HB10] a result that is kept does not wait for a client that answers nothing", async () => {
  const sent: FromUpstreamPost[] = [];
  const asks = new WorkerAsks((message) => sent.push(message), 1);
  const output = { resultId: "one", path: "/tmp/one", from: 0, bytes: 2_000_000 };
  expect(await asks.keep(1, output)).toBeUndefined();
  expect(sent).toEqual([{ kind: "keep", id: 1, askId: 1, output }]);
  // It answers after all, which concerns nobody any more; the next one is asked for itself.
  const next = asks.keep(1, output);
  asks.answer(1, { taskId: 7 });
  asks.answer(2, { taskId: 8 });
  expect(await next).toBe(8);
});

test("what waits for a client that does not answer is bounded in bytes", async () => {
  const sent: FromUpstreamPost[] = [];
  const asks = new WorkerAsks((message) => sent.push(message));
  const bytes = upstreamKeepBytesMax / 4;
  const output = { resultId: "one", path: "/tmp/one", from: 0, bytes };
  const waiting = Array.from({ length: 6 }, () => asks.keep(1, output));
  expect(await Promise.all(waiting.slice(4))).toEqual([undefined, undefined]);
  expect(sent).toHaveLength(4);
  for (let askId = 1; askId <= 4; askId++) asks.answer(askId, { taskId: askId });
  expect(await Promise.all(waiting.slice(0, 4))).toEqual([1, 2, 3, 4]);
  // There is room again.
  const next = asks.keep(1, output);
  asks.answer(5, { taskId: 5 });
  expect(await next).toBe(5);
});
