import { expect, test } from "bun:test";
import * as fc from "fast-check";

import { Cancellation } from "../../src/base/cancellation.ts";
import { AppError } from "../../src/base/errors.ts";
import { EventStream } from "../../src/base/server-events.ts";
import { ElapsedClock } from "../../src/state/callbacks/callback-scheduler.ts";
import type { CallRequest } from "../../src/calls/call.ts";
import { Changes, type ReachableClient } from "../../src/calls/features.ts";
import { CallingClients } from "../../src/calls/gate/calling-clients.ts";
import { Callbacks } from "../../src/compose/callbacks.ts";
import { FakeTime } from "../state/callbacks/fake-time.ts";

const clients = ["a", "b"] as const;
type ClientId = (typeof clients)[number];

function callOf(id: ClientId): CallRequest {
  const client = {
    id,
    limits: { answerMs: 0, resultCharsMax: 30_000 },
    workspaceDir: () => Promise.resolve("/"),
  };
  const cancellation = new Cancellation();
  return { name: "T", args: {}, version: "2025-11-25", client, cancellation };
}

/** Everything that one client was ever told of fires, by the ways that number them, and when. */
class Told implements ReachableClient {
  readonly channel: number[] = [];
  readonly logs: number[] = [];
  /** Of the line of each fire. */
  readonly mail: number[] = [];
  /** Fires that mail told of without a line. */
  uncounted = 0;
  samplesOpen = 0;
  readonly canSample = true;
  /** How the client answers. */
  answer: () => Promise<unknown> = () => Promise.resolve({});

  pushToChannel(_content: string, meta: Readonly<Record<string, string>>): boolean {
    this.channel.push(Number(meta["fire_id"]));
    return true;
  }

  logInfo(_logger: string, data: unknown): boolean {
    this.logs.push((data as { readonly fireId: number }).fireId);
    return true;
  }

  async sample(): Promise<unknown> {
    this.samplesOpen += 1;
    expect(this.samplesOpen).toBe(1);
    try {
      return await this.answer();
    } finally {
      this.samplesOpen -= 1;
    }
  }

  takeMail(lines: readonly string[]): void {
    for (const line of lines) {
      const [, fire] =
        /^\[Callback \d, fire (\d+)\] Reminder set with SetCallback: /.exec(line) ?? [];
      const [, more] =
        /^\[(\d+) earlier fires since the last result are not shown: /.exec(line) ?? [];
      expect([fire, more].filter((part) => part !== undefined).length).toBe(1);
      if (fire !== undefined) this.mail.push(Number(fire));
      if (more !== undefined) this.uncounted += Number(more);
    }
  }
}

class World {
  readonly time = new FakeTime();
  readonly running = new CallingClients();
  readonly told: Readonly<Record<ClientId, Told>> = { a: new Told(), b: new Told() };
  readonly fired: Record<ClientId, number> = { a: 0, b: 0 };
  readonly open: Record<ClientId, CallRequest[]> = { a: [], b: [] };
  readonly #events = new EventStream((error) => {
    throw error;
  });
  readonly callbacks = new Callbacks({
    events: this.#events,
    changes: new Changes(),
    running: this.running,
    reach: { connectionsOf: (id) => (id === "a" || id === "b" ? [this.told[id]] : []) },
    model: "sonnet",
    now: new ElapsedClock(this.time.sources).now,
    startTimer: this.time.startTimer,
  });
  /** When each callback fired last, on the clock that goes on in sleep. */
  readonly #lastFires = new Map<string, number>();

  constructor() {
    this.#events.listen((event) => {
      if (event.kind !== "callback" || event.change !== "fired") return;
      const id = event.clientId as ClientId;
      this.fired[id] += 1;
      expect(this.running.of(id)).toBe(0);
      // The message of a callback is its delay, and unlike any other.
      const key = `${id} ${event.message}`;
      const delayMs = Number(event.message.split(" ")[0]) * 1_000;
      const last = this.#lastFires.get(key) ?? -Infinity;
      expect(this.time.uptimeMs - last).toBeGreaterThanOrEqual(delayMs - 0.001);
      this.#lastFires.set(key, this.time.uptimeMs);
    });
  }

  async perform(id: ClientId, request: Parameters<Callbacks["perform"]>[0]): Promise<void> {
    const call = callOf(id);
    this.running.began(call);
    try {
      await this.callbacks.perform(request, call);
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
    }
    this.#finish(call, true);
  }

  begin(id: ClientId): void {
    const call = callOf(id);
    this.open[id].push(call);
    this.running.began(call);
  }

  end(id: ClientId, isDelivered: boolean): void {
    const call = this.open[id].pop();
    if (call !== undefined) this.#finish(call, isDelivered);
  }

  /** As the gate does it: the notes first, and none for a result that nobody wants any more. */
  #finish(call: CallRequest, isDelivered: boolean): void {
    const { notes } = this.callbacks;
    if (isDelivered) {
      const lines = notes.notesFor(call);
      if (lines.length > 0) {
        this.told[call.client.id as ClientId].takeMail(lines);
        notes.delivered(call, lines);
      }
    }
    this.running.ended(call);
  }
}

type Step = (world: World, unique: number) => Promise<void> | void;

const client = fc.constantFrom(...clients);
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(client, fc.integer({ min: 1, max: 90 }), fc.constantFrom(-1, 1, 2, 5))
    .map(([id, delaySeconds, repeatCount]): Step => (world, unique) => {
      const message = `${delaySeconds} ${unique}`;
      return world.perform(id, { action: "set", message, delaySeconds, repeatCount });
    }),
  fc.tuple(client, fc.option(fc.nat(8))).map(
    ([id, callbackId]): Step =>
      (world) =>
        world.perform(id, { action: "cancel", callbackId }),
  ),
  client.map(
    (id): Step =>
      (world) =>
        world.begin(id),
  ),
  fc.tuple(client, fc.boolean()).map(
    ([id, isDelivered]): Step =>
      (world) =>
        world.end(id, isDelivered),
  ),
  fc.nat(200_000).map(
    (ms): Step =>
      (world) =>
        world.time.pass(ms),
  ),
  fc.nat(40_000_000).map(
    (ms): Step =>
      (world) =>
        world.time.sleep(ms),
  ),
  fc.tuple(client, fc.boolean()).map(([id, refuses]): Step => (world) => {
    world.told[id].answer = refuses
      ? () => Promise.reject(new AppError("system", "no"))
      : () => Promise.resolve({});
  }),
);

test("each fire is told once by each way, once by mail, and never while a call runs", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 80 }), async (moves) => {
      const world = new World();
      for (const [unique, move] of moves.entries()) await move(world, unique);
      for (const id of clients) {
        while (world.open[id].length > 0) world.end(id, true);
        await world.perform(id, { action: "list" });
        const told = world.told[id];
        const all = Array.from({ length: world.fired[id] }, (_, index) => index + 1);
        expect([told.channel, told.logs]).toEqual([all, all]);
        expect(new Set(told.mail).size).toBe(told.mail.length);
        expect(told.mail.every((fire) => fire >= 1 && fire <= all.length)).toBe(true);
        expect(told.mail.length + told.uncounted).toBe(all.length);
      }
      world.callbacks[Symbol.dispose]();
      expect(world.time.waiting).toBe(0);
    }),
    { numRuns: 300 },
  );
});
