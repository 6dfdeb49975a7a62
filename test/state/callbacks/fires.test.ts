import { describe, expect, test } from "bun:test";

import { AppError } from "../../../src/base/errors.ts";
import { FireAnnouncer, type FireWays } from "../../../src/state/callbacks/fires.ts";

/** A connection that notes what it is told. */
class FakeConnection implements FireWays {
  readonly told: unknown[] = [];
  readonly samples: PromiseWithResolvers<unknown>[] = [];

  constructor(
    readonly takes: {
      readonly channel?: boolean;
      readonly log?: boolean;
      readonly sample?: boolean;
    },
  ) {}

  get canSample(): boolean {
    return this.takes.sample === true;
  }

  pushToChannel(content: string, meta: Readonly<Record<string, string>>): boolean {
    if (this.takes.channel === true) this.told.push({ content, meta });
    return this.takes.channel === true;
  }

  logInfo(logger: string, data: unknown): boolean {
    if (this.takes.log === true) this.told.push({ logger, data });
    return this.takes.log === true;
  }

  sample(params: Readonly<Record<string, unknown>>): Promise<unknown> {
    this.told.push(params);
    const answer = Promise.withResolvers<unknown>();
    this.samples.push(answer);
    return answer.promise;
  }
}

const fire = { fireId: 5, callbackId: 2, message: "look\nup \u0007", firesLeft: 3 };
const text = "Reminder set with SetCallback: look up \\u{7}";
const channel = { content: text, meta: { callback_id: "2", fire_id: "5" } };
const log = {
  logger: "callbacks",
  data: { callbackId: 2, fireId: 5, message: "look up \\u{7}", firesLeft: 3 },
};
const sampling = {
  messages: [{ role: "user", content: { type: "text", text } }],
  modelPreferences: { hints: [{ name: "sonnet" }] },
  maxTokens: 64,
};

const all = { channel: true, log: true, sample: true };

describe("FireAnnouncer", () => {
  test.each([
    [{}, []],
    [{ channel: true }, [channel]],
    [{ log: true }, [log]],
    [{ sample: true }, [sampling]],
    [all, [channel, log, sampling]],
  ])("tells a client that takes %j by these ways", (takes, told) => {
    const connection = new FakeConnection(takes);
    new FireAnnouncer("sonnet").announce("a", fire, [connection]);
    expect(connection.told).toEqual(told);
  });

  test("tells nobody when nobody is connected", () => {
    expect(() => new FireAnnouncer("sonnet").announce("a", fire, [])).not.toThrow();
  });

  test("uses each way once, whatever the number of connections", () => {
    const connections = [{ log: true }, all, all].map((takes) => new FakeConnection(takes));
    new FireAnnouncer("sonnet").announce("a", fire, connections);
    expect(connections.map(({ told }) => told)).toEqual([[log], [channel, sampling], []]);
  });

  test("has one sampling request open for each client", async () => {
    const announcer = new FireAnnouncer("sonnet");
    const [a, b] = [new FakeConnection({ sample: true }), new FakeConnection({ sample: true })];
    announcer.announce("a", fire, [a]);
    announcer.announce("a", fire, [a]);
    announcer.forgive("a");
    announcer.announce("a", fire, [a]);
    announcer.announce("b", fire, [b]);
    expect([a.samples.length, b.samples.length]).toEqual([1, 1]);
    a.samples[0]?.resolve({ role: "assistant" });
    await Promise.resolve();
    await Promise.resolve();
    announcer.announce("a", fire, [a]);
    expect(a.samples.length).toBe(2);
  });

  test.each([
    ["system", 1],
    ["cancelled", 2],
  ] as const)("after a request that ended by `%s` there are %d", async (code, requests) => {
    const announcer = new FireAnnouncer("sonnet");
    const connection = new FakeConnection({ sample: true });
    announcer.announce("a", fire, [connection]);
    connection.samples[0]?.reject(new AppError(code, "no"));
    await Bun.sleep(0);
    announcer.announce("a", fire, [connection]);
    expect(connection.samples.length).toBe(requests);
    announcer.forgive("a");
    announcer.announce("a", fire, [connection]);
    expect(connection.samples.length).toBe(2);
  });
});
