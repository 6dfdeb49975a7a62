import { describe, expect, test } from "bun:test";

import { Cancellation } from "../../src/base/cancellation.ts";
import { EventStream } from "../../src/base/server-events.ts";
import type { CallRequest } from "../../src/calls/call.ts";
import { Changes } from "../../src/calls/features.ts";
import { CallingClients } from "../../src/calls/gate/calling-clients.ts";
import { Gate, Admissions } from "../../src/calls/gate/gate.ts";
import { Callbacks } from "../../src/compose/callbacks.ts";
import { FakeTime } from "../state/callbacks/fake-time.ts";

function callOf(id: string): CallRequest {
  const client = {
    id,
    limits: { answerMs: 0, resultCharsMax: 30_000 },
    workspaceDir: () => Promise.resolve("/"),
  };
  const cancellation = new Cancellation();
  return { name: "T", args: {}, version: "2025-11-25", client, cancellation };
}

/** The service with the gate around a tool that answers "done"; nobody is connected. */
class World {
  readonly time = new FakeTime();
  /** What happened, as the event stream and the changes tell it. */
  readonly told: string[] = [];
  readonly running = new CallingClients();
  readonly callbacks: Callbacks;
  readonly gate: Gate;
  /** Done by the tool. */
  work: () => Promise<void> = () => Promise.resolve();

  constructor() {
    const events = new EventStream((error) => {
      throw error;
    });
    const changes = new Changes();
    events.listen((event) => {
      if (event.kind === "callback") this.told.push(`${event.change} ${event.callbackId}`);
    });
    changes.listen((change) => {
      if (change.kind === "resource") this.told.push(`${change.uri} of ${change.clientId}`);
    });
    const { startTimer } = this.time;
    this.callbacks = new Callbacks({
      events,
      changes,
      running: this.running,
      reach: { connectionsOf: () => [] },
      model: "sonnet",
      now: () => this.time.monotonicMs,
      startTimer,
    });
    const router = {
      list: () => [],
      call: async () => {
        await this.work();
        return { kind: "result" as const, json: '{"content":[{"type":"text","text":"done"}]}' };
      },
    };
    const notes = [this.callbacks.notes];
    this.gate = new Gate({
      own: router,
      admissions: new Admissions([]),
      notes,
      watchers: [this.running],
    });
  }

  perform(request: Parameters<Callbacks["perform"]>[0], id = "a") {
    return this.callbacks.perform(request, callOf(id));
  }

  set(delaySeconds: number, repeatCount: number, id = "a") {
    return this.perform({ action: "set", message: "m", delaySeconds, repeatCount }, id);
  }

  /** Texts of the result of a call. */
  async texts(call = callOf("a")): Promise<readonly string[]> {
    const outcome = await this.gate.call(call);
    if (outcome.kind !== "result") throw new Error(outcome.kind);
    const { content } = JSON.parse(outcome.json) as { content: { text: string }[] };
    return content.map(({ text }) => text.trimStart());
  }
}

const line = (fireId: number): string =>
  `[Callback 0, fire ${fireId}] Reminder set with SetCallback: m`;

describe("Callbacks", () => {
  test("a call that was cancelled sets nothing: its client may be gone", async () => {
    const world = new World();
    const call = callOf("a");
    call.cancellation.cancel();
    const request = { action: "set", message: "m", delaySeconds: 1, repeatCount: -1 } as const;
    expect(world.callbacks.perform(request, call)).rejects.toThrow("The call was cancelled.");
    expect((await world.perform({ action: "list" })).callbacks).toEqual([]);
    expect(world.told).toEqual([]);
  });

  test("answers with those that are active and those that were changed", async () => {
    const world = new World();
    const first = {
      callbackId: 0,
      message: "m",
      delaySeconds: 30,
      nextFireMs: 30_000,
      firesLeft: 2,
    };
    expect(await world.set(30, 2)).toEqual({ callbacks: [first], changed: [first] });
    world.time.pass(10_000);
    const now = { ...first, nextFireMs: 20_000 };
    expect(await world.perform({ action: "list" })).toEqual({ callbacks: [now], changed: [] });
    expect(await world.perform({ action: "list" }, "b")).toEqual({ callbacks: [], changed: [] });
    const cancelled = await world.perform({ action: "cancel", callbackId: null });
    expect(cancelled).toEqual({ callbacks: [], changed: [first] });
    const again = world.perform({ action: "cancel", callbackId: 0 });
    expect(await again.catch((error: unknown) => error)).toMatchObject({ code: "not_found" });
  });

  test("tells the event stream of each change, and subscribers of the resource once for each", async () => {
    const world = new World();
    await world.set(1, 2);
    await world.set(60, 1);
    world.time.pass(2_000);
    await world.perform({ action: "cancel", callbackId: 1 });
    const updated = "scorpiox://callbacks of a";
    expect(world.told).toEqual([
      updated,
      "set 0",
      updated,
      "set 1",
      updated,
      "fired 0",
      updated,
      "fired 0",
      "ended 0",
      updated,
      "cancelled 1",
    ]);
  });

  test("is a resource with the text of the list", async () => {
    const world = new World();
    const text = (id: string): Promise<string> => world.callbacks.resource.text(callOf(id).client);
    await world.set(30, -1);
    expect(await text("a")).toBe(
      "Active callbacks (1/8):\n0: m (every 30s, next in 30s, repeats forever)",
    );
    expect(await text("b")).toBe("No active callbacks.");
  });
});

describe("Callbacks, behind the gate", () => {
  test("a result has the lines of what fired before its call, once", async () => {
    const world = new World();
    await world.set(1, 2);
    world.time.pass(5_000);
    expect(await world.texts(callOf("b"))).toEqual(["done"]);
    expect(await world.texts()).toEqual(["done", `${line(1)}\n${line(2)}`]);
    expect(await world.texts()).toEqual(["done"]);
  });

  test("nothing fires during a call, and a full delay passes after it", async () => {
    const world = new World();
    await world.set(10, -1);
    world.work = async () => {
      world.time.pass(25_000);
      expect((await world.perform({ action: "list" })).callbacks[0]?.nextFireMs).toBe(0);
    };
    expect(await world.texts()).toEqual(["done"]);
    expect((await world.perform({ action: "list" })).callbacks[0]?.nextFireMs).toBe(10_000);
    world.time.pass(10_000);
    expect(await world.texts()).toEqual(["done", line(1)]);
  });

  test("a call that is cancelled, or ends by an error, keeps the lines for the next", async () => {
    const world = new World();
    await world.set(1, 1);
    world.time.pass(1_000);
    const cancelled = callOf("a");
    cancelled.cancellation.cancel();
    expect(await world.texts(cancelled)).toEqual(["done"]);
    world.work = () => Promise.reject(new Error("broken"));
    const broken = await world.gate.call(callOf("a")).catch((error: unknown) => error);
    expect(broken).toEqual(new Error("broken"));
    expect(world.running.of("a")).toBe(0);
    world.work = () => Promise.resolve();
    expect(await world.texts()).toEqual(["done", line(1)]);
  });

  test("a client that is gone leaves nothing: no fires, no lines, no timer", async () => {
    const world = new World();
    await world.set(1, -1);
    world.time.pass(1_000);
    world.callbacks.endClient("a");
    world.callbacks.endClient("nobody");
    expect([world.time.waiting, await world.texts()]).toEqual([0, ["done"]]);
    await world.set(1, 1);
    world.time.pass(1_000);
    expect(await world.texts()).toEqual(["done", line(1)]);
  });

  test("after close() the calls of clients are not listened to", async () => {
    const world = new World();
    await world.set(1, -1);
    world.callbacks[Symbol.dispose]();
    expect([world.time.waiting, await world.texts()]).toEqual([0, ["done"]]);
  });
});
