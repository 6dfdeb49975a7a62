import { describe, expect, test } from "bun:test";

import { startTimer } from "../../../src/base/cancellation.ts";
import { upstreamLongWaitMs } from "../../../src/base/upstream-limits.ts";
import type { InputRequest } from "../../../src/protocol/input-request.ts";
import type { UpstreamReply } from "../../../src/upstream/upstreams.ts";
import { SharedRuntime } from "../../../src/upstream/manager/shared-runtime.ts";
import { shareOf } from "../../fixtures/long-run.ts";
import { until } from "../connect/open-scripted.ts";
import { type Hub, openHub } from "./open-hub.ts";
import { type Opened, textOfReply } from "./open-work.ts";

/** A client that answers questions with its name, and notes them. */
class AskedClient {
  readonly asked: string[] = [];
  readonly #opened: Opened;
  readonly #name: string;

  constructor(opened: Opened, name: string) {
    this.#opened = opened;
    this.#name = name;
  }

  get opened(): Opened {
    return this.#opened;
  }

  call(tool: string, args: unknown = {}, signal?: AbortSignal): Promise<UpstreamReply> {
    const events = {
      ask: (request: InputRequest) => {
        const { message } = "params" in request ? (request.params as { message?: string }) : {};
        this.asked.push(message ?? request.method);
        return Promise.resolve({ action: "accept", content: { name: this.#name } });
      },
    };
    return this.#opened.call("one", tool, args, {}, events, signal);
  }

  elicit(ms?: number, signal?: AbortSignal): Promise<UpstreamReply> {
    return this.call(
      "elicit",
      { message: this.#name, ...(ms === undefined ? {} : { ms }) },
      signal,
    );
  }
}

const script = { tools: ["elicit", "sleep", "pid", "ask_late", "hang"], era: "legacy" as const };

async function openClients(hub: Hub): Promise<readonly [AskedClient, AskedClient, AskedClient]> {
  await hub.configure({ one: { script } });
  const clients: AskedClient[] = [];
  for (const name of ["a", "b", "c"]) {
    const opened = await hub.client();
    await until(() => opened.snapshots.at(-1)?.isIncomplete === false);
    const client = new AskedClient(opened, name);
    await client.call("pid");
    clients.push(client);
  }
  return clients as unknown as [AskedClient, AskedClient, AskedClient];
}

const pidOf = async (client: AskedClient): Promise<string> => textOfReply(await client.call("pid"));

/** Waits of other clients are long after 50 ms; nothing else is sooner. */
const hurried = {
  now: () => performance.now(),
  after: (ms: number, act: () => void) =>
    startTimer(ms === upstreamLongWaitMs ? ms / 100 : ms, act),
};

describe("HB4: a question", () => {
  test("of the only call goes to its client", async () => {
    await using hub = await openHub();
    const [a, b] = await openClients(hub);
    expect(textOfReply(await a.elicit())).toContain('"name":"a"');
    expect(textOfReply(await b.elicit())).toContain('"name":"b"');
    expect([a.asked, b.asked]).toEqual([["a"], ["b"]]);
    expect(hub.pids()).toHaveLength(1);
  });

  test("that may be of two clients is declined the first time; from then on one client is served at a time", async () => {
    await using hub = await openHub();
    const [a, b, c] = await openClients(hub);
    const slow = b.call("sleep", { ms: 200 });
    expect(textOfReply(await a.elicit())).toContain('"action":"decline"');
    await slow;
    const replies = await Promise.all([a.elicit(30), b.elicit(30), c.elicit(), a.elicit()]);
    expect(replies.map((reply) => /"name":"(.)"/.exec(textOfReply(reply))?.[1])).toEqual([
      "a",
      "b",
      "c",
      "a",
    ]);
    expect([a.asked, b.asked, c.asked]).toEqual([["a", "a"], ["b"], ["c"]]);
    expect(hub.pids()).toHaveLength(1);
  });

  test("may be of a call that its client has left: it is declined, and the next calls share another process", async () => {
    await using hub = await openHub();
    const [a, b] = await openClients(hub);
    const leaving = new AbortController();
    const left = a.elicit(100, leaving.signal).catch((error: unknown) => String(error));
    await Bun.sleep(20);
    leaving.abort();
    expect(await left).toContain("cancelled");
    const pid = await pidOf(b);
    expect(textOfReply(await b.call("sleep", { ms: 200, text: "slept" }))).toBe("slept");
    expect([a.asked, b.asked]).toEqual([[], []]);
    // The call that was left may ask again in the first one.
    expect(await pidOf(a)).not.toBe(pid);
    expect(await pidOf(b)).toBe(await pidOf(a));
    expect(textOfReply(await b.elicit())).toContain('"name":"b"');
    expect(textOfReply(await a.elicit())).toContain('"name":"a"');
  });

  test("without a call is answered by nobody, and the server is not shared any more, even by a later hub", async () => {
    await using hub = await openHub();
    const [a, b] = await openClients(hub);
    await a.call("ask_late", { ms: 10 });
    await until(() => hub.shared.pool.size === 0);
    expect(await pidOf(a)).not.toBe(await pidOf(b));
    expect([a.asked, b.asked]).toEqual([[], []]);
    const shared = new SharedRuntime({
      user: { name: "user", homeDir: hub.home, shell: null },
      loginPath: () => Promise.resolve(undefined),
    });
    for (let client = 0; client < 2; client++) {
      const next = hub.open({}, undefined, shared);
      await next.work.start();
      expect(textOfReply(await next.call("one", "pid"))).toBe(String(next.processes[0]?.pid));
    }
    expect(shared.pool.size).toBe(0);
  });
});

describe("HB4: a server that asks", () => {
  test("is served by turns in the order of arrival, though one client has many calls", async () => {
    await using hub = await openHub();
    const [a, b] = await openClients(hub);
    await a.elicit();
    const order: string[] = [];
    const note = (who: string) => () => void order.push(who);
    const calls = [
      a.call("sleep", { ms: 50 }).then(note("a1")),
      a.call("sleep", { ms: 40 }).then(note("a2")),
      b.call("sleep", { ms: 1 }).then(note("b")),
      a.call("sleep", { ms: 1 }).then(note("a3")),
    ];
    await Promise.all(calls);
    // The first two run beside each other; which ends first is up to the machine.
    expect([order.slice(0, 2).sort(), order.slice(2)]).toEqual([
      ["a1", "a2"],
      ["b", "a3"],
    ]);
  });

  test("answers a waiting call in its time, or not at all", async () => {
    await using hub = await openHub();
    const [a, b] = await openClients(hub);
    await a.elicit();
    const ending = new AbortController();
    const hanging = a.call("hang", {}, ending.signal).catch((error: unknown) => String(error));
    const late = await b.opened.call("one", "pid", {}, { timeoutMs: 100 });
    expect(textOfReply(late)).toStartWith("timeout: ");
    expect(textOfReply(late)).toContain("busy with other calls");
    const cancelled = new AbortController();
    const waiting = b.call("pid", {}, cancelled.signal).catch((error: unknown) => String(error));
    cancelled.abort();
    expect(await waiting).toContain("cancelled");
    ending.abort();
    await hanging;
    expect(await pidOf(b)).toMatch(/^\d+$/);
  });

  test("has a process for each client after two long waits; the client that is served keeps its own", async () => {
    await using hub = await openHub(hurried);
    const [a, b, c] = await openClients(hub);
    await a.elicit();
    const pid = await pidOf(a);
    const slow = a.call("sleep", { ms: 1_000, text: "slept" });
    const others = await Promise.all([pidOf(b), pidOf(c)]);
    expect(textOfReply(await slow)).toBe("slept");
    expect(await pidOf(a)).toBe(pid);
    expect(new Set([pid, ...others]).size).toBe(3);
    expect([await pidOf(b), await pidOf(c)]).toEqual(others);
    const late = new AskedClient(await hub.client(), "d");
    expect([pid, ...others]).not.toContain(await pidOf(late));
  });

  test("keeps it after one long wait", async () => {
    await using hub = await openHub(hurried);
    const [a, b] = await openClients(hub);
    await a.elicit();
    const slow = a.call("sleep", { ms: 200 });
    const pid = await pidOf(b);
    await slow;
    expect(await pidOf(a)).toBe(pid);
  });
});

/** Deterministic for each seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test.each(Array.from({ length: shareOf(20) }, (_, seed) => [seed]))(
  "HB4: no question ever goes to the wrong client (interleaving %d)",
  async (seed) => {
    await using hub = await openHub(hurried);
    const clients = await openClients(hub);
    const random = randomOf(seed + 1);
    const pick = (count: number): number => Math.floor(random() * count);
    const act = async (client: AskedClient): Promise<void> => {
      switch (pick(4)) {
        case 0:
          return void (await client.elicit());
        case 1:
          return void (await client.elicit(pick(40)));
        case 2:
          return void (await client.call("sleep", { ms: pick(60) }));
        case 3: {
          const leaving = new AbortController();
          const timer = startTimer(pick(30), () => leaving.abort());
          await client.elicit(pick(60), leaving.signal).catch(() => {});
          timer.stop();
        }
      }
    };
    const runs = clients.flatMap((client) =>
      Array.from({ length: 2 }, async () => {
        for (let step = 0; step < 8; step++) {
          await act(client);
          if (pick(3) === 0) await Bun.sleep(pick(20));
        }
      }),
    );
    await Promise.all(runs);
    expect(clients.map(({ asked }) => [...new Set(asked)].join())).toEqual(
      ["a", "b", "c"].map((name, at) => (clients[at]?.asked.length === 0 ? "" : name)),
    );
    expect(clients.some(({ asked }) => asked.length > 0)).toBe(true);
  },
  20_000,
);

test("HB4: the resources of a renewed connection are followed on the next one", async () => {
  await using hub = await openHub();
  const tools = ["elicit", "sleep", "pid", "touch_resource"];
  await hub.configure({ one: { script: { tools, resources: 1, era: "legacy" } } });
  const [a, b] = [await hub.client(), await hub.client()];
  await until(() => [a, b].every(({ snapshots }) => snapshots.at(-1)?.isIncomplete === false));
  expect(await a.work.subscribe("scorpiox://mcp/one/test://item/1", "c")).toBe(true);
  const asking = new AskedClient(b, "b");
  const pid = await pidOf(asking);
  const left = asking.elicit(50, AbortSignal.timeout(10)).catch(() => {});
  await new AskedClient(a, "a").call("sleep", { ms: 150 });
  await left;
  await until(() => (a.info("one")?.starts ?? 0) > 1);
  await a.reach("one", "ready");
  expect(await pidOf(asking)).not.toBe(pid);
  await until(() => {
    void asking.call("touch_resource", { uri: "test://item/1" });
    return a.events.some(({ kind }) => kind === "resource-updated");
  });
});

test("HB4: a server that asks without a call stays with the only client that has called it", async () => {
  await using hub = await openHub();
  await hub.configure({ one: { script } });
  const a = new AskedClient(await hub.client(), "a");
  const pid = await pidOf(a);
  await a.call("ask_late", { ms: 1 });
  await until(() => hub.shared.pool.size === 0);
  expect(await pidOf(a)).toBe(pid);
  expect(await pidOf(new AskedClient(await hub.client(), "b"))).not.toBe(pid);
});
