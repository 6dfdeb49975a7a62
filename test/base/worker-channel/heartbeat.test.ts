import { describe, expect, test } from "bun:test";

import type { ChannelPort } from "../../../src/base/worker-channel/channel-port.ts";
import {
  type HeartbeatTimes,
  WorkerChannel,
} from "../../../src/base/worker-channel/worker-channel.ts";

/** The other end of a channel, which never says anything by itself. */
class SilentPort implements ChannelPort {
  readonly posted: string[] = [];
  isTerminated = false;
  #onText: (text: string) => void = () => {};

  listen(onText: (text: string) => void): void {
    this.#onText = onText;
  }

  postMessage(text: string): void {
    this.posted.push(text);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  say(text: string): void {
    this.#onText(text);
  }

  get pings(): number {
    return this.posted.filter((text) => text === '{"kind":"ping"}').length;
  }
}

function open(times: Partial<HeartbeatTimes>): {
  port: SilentPort;
  channel: WorkerChannel<object, string, undefined>;
  gone: Promise<string>;
} {
  const port = new SilentPort();
  const { promise: gone, resolve } = Promise.withResolvers<string>();
  const heartbeat = { lookMs: 5, silentLooksMax: 3, isSteady: true, ...times };
  const channel = new WorkerChannel<object, string, undefined>({
    port,
    options: {},
    heartbeat,
    lostText: (reason) => reason,
    events: { onGone: resolve },
  });
  return { port, channel, gone };
}

describe("a port that is asked whether it lives", () => {
  test("is given up after so many looks without a word", async () => {
    const { port, gone } = open({});
    expect(await gone).toBe("it hung");
    // On a busy machine some looks are late themselves.
    expect([port.pings >= 3, port.isTerminated]).toEqual([true, true]);
  });

  test("is asked seldom at rest, and often while it owes a reply", async () => {
    const { port, channel, gone } = open({ restLookMs: 3_600_000 });
    const lost = channel.call("a call", undefined).catch((error: unknown) => String(error));
    expect(await gone).toBe("it hung");
    expect(await lost).toContain("it hung");
    expect(port.pings).toBeGreaterThanOrEqual(3);
  });

  test("is not given up for looks that came late themselves: its answers may be waiting", async () => {
    const { port, channel, gone } = open({ lookMs: 20 });
    let isGone = false;
    void gone.then(() => (isGone = true));
    for (let count = 0; count < 6; count++) {
      // Longer than two looks: the one that is due comes late by more than another.
      Bun.sleepSync(50);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(isGone).toBe(false);
    port.say('[{"kind":"closed"}]');
    await channel.close(1_000);
  });
});
