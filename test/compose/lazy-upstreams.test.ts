import { expect, test } from "bun:test";

import { workerPort } from "../../src/base/worker-channel/channel-port.ts";
import { emptySnapshot } from "../../src/upstream/snapshot.ts";
import type { ServerProcesses } from "../../src/upstream/process/server-processes.ts";
import { LazyUpstreams } from "../../src/compose/lazy-upstreams.ts";
import { ScriptedUpstreams } from "../upstream/worker/scripted-upstreams.ts";

const workerUrl = new URL(
  "../upstream/worker/fixtures/scripted-upstream-worker.ts",
  import.meta.url,
).href;

function create(mayHaveServers: () => boolean): { upstreams: LazyUpstreams; started: string[] } {
  const started: string[] = [];
  const upstreams = new LazyUpstreams({
    openPorts: () => {
      started.push("worker");
      return Promise.resolve({ openPort: () => workerPort(new Worker(workerUrl)) });
    },
    mayHaveServers,
    options: () => {
      started.push("options");
      return Promise.resolve(ScriptedUpstreams.options("/nowhere"));
    },
    beforeStart: () => {
      started.push("before");
      return Promise.resolve();
    },
    processes: () => Promise.reject<ServerProcesses>(new Error("none are wanted")),
    warn: (message) => started.push(message),
  });
  return { upstreams, started };
}

test("[GW-38] while no file names a server nothing is loaded, whatever is asked for", async () => {
  const { upstreams, started } = create(() => false);
  expect(await upstreams.settled(10_000)).toBe(emptySnapshot);
  expect(await upstreams.infoList()).toEqual([]);
  expect(await upstreams.subscribe("scorpiox://mcp/s/x", "client")).toBe(false);
  upstreams.unsubscribe("scorpiox://mcp/s/x", "client");
  upstreams.endClient("client");
  expect(upstreams.snapshot).toBeUndefined();
  await upstreams[Symbol.asyncDispose]();
  expect(started).toEqual([]);
});

test("a file that appears later is seen with the next list, and the Worker is started once", async () => {
  let isThere = false;
  const { upstreams, started } = create(() => isThere);
  await upstreams.settled(0);
  isThere = true;
  const [one, other] = await Promise.all([upstreams.settled(5_000), upstreams.settled(5_000)]);
  expect(one).toMatchObject({ revision: 2 });
  expect(other).toBe(one);
  expect(upstreams.snapshot).toBe(one);
  expect(started.sort()).toEqual(["before", "options", "worker"]);
  await upstreams[Symbol.asyncDispose]();
  expect(await upstreams.settled(5_000)).toBe(emptySnapshot);
});

test("a file that appears is seen without a list, and told as a change", async () => {
  let isThere = false;
  const { upstreams } = create(() => isThere);
  const seen = Promise.withResolvers<unknown>();
  upstreams.listen((event) => seen.resolve(event));
  await upstreams.settled(0);
  isThere = true;
  expect(await seen.promise).toEqual({ kind: "snapshot", changed: ["servers"] });
  await upstreams[Symbol.asyncDispose]();
});

test("isWanted looks at the files once in a turn", async () => {
  let looks = 0;
  const { upstreams } = create(() => {
    looks += 1;
    return false;
  });
  expect([upstreams.isWanted, upstreams.isWanted, looks]).toEqual([false, false, 1]);
  await Promise.resolve();
  expect([upstreams.isWanted, looks]).toEqual([false, 2]);
  await upstreams[Symbol.asyncDispose]();
});
