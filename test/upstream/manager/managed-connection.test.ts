import { expect, test } from "bun:test";

import { Turns } from "../../../src/base/turns.ts";
import {
  ConnectionError,
  type UpstreamConnection,
} from "../../../src/upstream/connect/connection.ts";
import { ManagedConnection } from "../../../src/upstream/manager/managed-connection.ts";
import { type ConnectionParts, realTime } from "../../../src/upstream/manager/connection-parts.ts";
import { RecentFailures } from "../../../src/upstream/manager/restart-limits.ts";
import { until } from "../connect/open-scripted.ts";

function linkOf(open: ConnectionParts["open"]): ManagedConnection {
  const ignore = (): void => {};
  return new ManagedConnection({
    open,
    turns: new Turns(1),
    time: realTime,
    failures: new RecentFailures(),
    restarts: true,
    idleStopMs: 0,
    events: {
      onListChanged: ignore,
      onResourceUpdated: ignore,
      onLog: ignore,
      onStray: ignore,
    },
    onState: ignore,
    onBegun: ignore,
    onConnected: ignore,
  });
}

test("stop() waits for a start that is under way, and for what that has to end", async () => {
  const process = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<AbortSignal>();
  const link = linkOf(async (_events, signal, { onEnding }) => {
    asked.resolve(signal);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    onEnding(process.promise);
    throw new ConnectionError("cancelled", "it was given up");
  });
  link.want();
  await asked.promise;
  let isStopped = false;
  const stopping = link.stop().then(() => {
    isStopped = true;
  });
  await Bun.sleep(5);
  expect(isStopped).toBe(false);
  process.resolve();
  await stopping;
});

test("stop() ends what was opened when nobody wanted it any more", async () => {
  const opening = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  let isEnded = false;
  const link = linkOf(async () => {
    asked.resolve();
    await opening.promise;
    return {
      connection: {} as UpstreamConnection,
      [Symbol.asyncDispose]: async () => {
        await Bun.sleep(0);
        isEnded = true;
      },
    };
  });
  link.want();
  await asked.promise;
  const stopping = link.stop();
  opening.resolve();
  await stopping;
  expect(isEnded).toBe(true);
});

test("the next start waits for what the one before has left", async () => {
  const left = Promise.withResolvers<void>();
  let opens = 0;
  const link = linkOf((_events, _signal, { onEnding }) => {
    opens++;
    onEnding(left.promise);
    return Promise.reject(new ConnectionError("unreachable", "no"));
  });
  link.want();
  await until(() => link.state.kind === "down");
  link.reset();
  link.want();
  await Bun.sleep(5);
  expect(opens).toBe(1);
  left.resolve();
  await until(() => opens === 2);
  await link.stop();
});
