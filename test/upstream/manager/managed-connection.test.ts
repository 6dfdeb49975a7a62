import { describe, expect, test } from "bun:test";

import { startTimer } from "../../../src/base/cancellation.ts";
import { Turns } from "../../../src/base/turns.ts";
import {
  ConnectionError,
  type UpstreamConnection,
} from "../../../src/upstream/connect/connection.ts";
import { ManagedConnection } from "../../../src/upstream/manager/managed-connection.ts";
import {
  type ConnectionParts,
  type Hold,
  realTime,
} from "../../../src/upstream/manager/connection-parts.ts";
import { RecentFailures } from "../../../src/upstream/manager/restart-limits.ts";
import { until } from "../connect/open-scripted.ts";

function connectionOf(
  open: ConnectionParts["open"],
  others: Partial<ConnectionParts> = {},
): ManagedConnection {
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
    ...others,
  });
}

test("stop() waits for a start that is under way, and for what that has to end", async () => {
  const process = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<AbortSignal>();
  const connection = connectionOf(async (_events, signal, { onEnding }) => {
    asked.resolve(signal);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    onEnding(process.promise);
    throw new ConnectionError("cancelled", "it was given up");
  });
  connection.want();
  await asked.promise;
  let isStopped = false;
  const stopping = connection.stop().then(() => {
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
  const connection = connectionOf(async () => {
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
  connection.want();
  await asked.promise;
  const stopping = connection.stop();
  opening.resolve();
  await stopping;
  expect(isEnded).toBe(true);
});

test("the next start waits for what the one before has left", async () => {
  const left = Promise.withResolvers<void>();
  let opens = 0;
  const connection = connectionOf((_events, _signal, { onEnding }) => {
    opens++;
    onEnding(left.promise);
    return Promise.reject(new ConnectionError("unreachable", "no"));
  });
  connection.want();
  await until(() => connection.state.kind === "down");
  connection.reset();
  connection.want();
  await Bun.sleep(5);
  expect(opens).toBe(1);
  left.resolve();
  await until(() => opens === 2);
  await connection.stop();
});

describe("HB8: what a process has for itself", () => {
  /** A thing that one connection at a time may have. */
  function thing() {
    const done: string[] = [];
    const hold = (): Hold => {
      done.push("taken");
      const right = { [Symbol.dispose]: () => void done.push("given back") };
      return { kind: "granted", right };
    };
    return { done, hold };
  }

  test("is given back when the process and all that it has started are gone", async () => {
    const left = Promise.withResolvers<void>();
    const { done, hold } = thing();
    const open: ConnectionParts["open"] = (_events, _signal, { onEnding }) => {
      done.push("opened");
      onEnding(left.promise);
      return Promise.reject(new ConnectionError("unreachable", "no"));
    };
    const connection = connectionOf(open, { hold, restarts: false });
    connection.want();
    await until(() => connection.state.kind === "down");
    const stopped = connection.stop();
    await Bun.sleep(5);
    expect(done).toEqual(["taken", "opened"]);
    left.resolve();
    await stopped;
    expect(done).toEqual(["taken", "opened", "given back"]);
  });

  test("is kept for a start that waits for the process before", async () => {
    const left = Promise.withResolvers<void>();
    const { done, hold } = thing();
    const opening = Promise.withResolvers<void>();
    const open: ConnectionParts["open"] = async (_events, _signal, { onEnding }) => {
      done.push("opened");
      onEnding(left.promise);
      if (done.length > 2) await opening.promise;
      throw new ConnectionError("unreachable", "no");
    };
    const connection = connectionOf(open, { hold, restarts: false });
    connection.want();
    await until(() => connection.state.kind === "down");
    connection.reset();
    connection.want();
    left.resolve();
    await until(() => done.length === 3);
    expect(done).toEqual(["taken", "opened", "opened"]);
    opening.resolve();
    await connection.stop();
    expect(done).toEqual(["taken", "opened", "opened", "given back"]);
  });

  test("is looked for until it can be had, and callers get the reason meanwhile", async () => {
    let isFree = false;
    let opens = 0;
    const states: string[] = [];
    const live = { [Symbol.asyncDispose]: () => Promise.resolve() } as UpstreamConnection;
    const connection: ManagedConnection = connectionOf(
      () => {
        opens++;
        return Promise.resolve({
          connection: live,
          [Symbol.asyncDispose]: () => Promise.resolve(),
        });
      },
      {
        hold: () =>
          isFree ? { kind: "not_needed" } : { kind: "refused", reason: "another one has it" },
        time: { now: () => performance.now() * 100, after: (ms, act) => startTimer(ms / 100, act) },
        onState: () => states.push(connection.state.kind),
        // Even a server that is never restarted has not failed here.
        restarts: false,
      },
    );
    const never = new AbortController().signal;
    for (let calls = 0; calls < 10; calls++) {
      const down = await connection.connected(never).catch((error: unknown) => error);
      expect(down).toMatchObject({ as: "backoff", message: "another one has it" });
    }
    expect([opens, connection.starts, states]).toEqual([0, 0, ["down"]]);
    isFree = true;
    await until(() => connection.state.kind === "ready");
    expect([opens, connection.starts, states]).toEqual([1, 1, ["down", "starting", "ready"]]);
    await connection.stop();
  });
});
