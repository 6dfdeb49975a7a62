import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ChannelPort } from "../../src/base/worker-channel/channel-port.ts";
import { ownValue } from "../../src/base/values.ts";
import { JsonText } from "../../src/base/weight.ts";
import { HubPort } from "../../src/hub/hub-port.ts";
import type { HubLink } from "../../src/hub/link/hub-link.ts";
import { JoinedProcesses, UpstreamSessions } from "../../src/hub/upstream-sessions.ts";
import { noClientCapabilities } from "../../src/protocol/client-capabilities.ts";
import { ServerLogs } from "../../src/upstream/process/server-logs.ts";
import { emptySnapshot } from "../../src/upstream/snapshot.ts";
import type { UpstreamCall, UpstreamReply } from "../../src/upstream/upstreams.ts";
import { UpstreamClient } from "../../src/upstream/worker/upstream-client.ts";
import type { UpstreamOptions } from "../../src/upstream/worker/upstream-options.ts";
import type { OpenUpstreams } from "../../src/upstream/worker/upstream-work.ts";
import { upstreamOptions } from "../upstream/upstream-options.ts";
import { memoryLinks } from "./memory-links.ts";

const never = new AbortController().signal;
const noEvents = { ask: (): Promise<never> => Promise.reject(new Error("not asked")) };
const tools = [
  { name: "mcp__s__read", server: "s", tool: "read", annotations: { readOnlyHint: true } },
  { name: "mcp__s__put", server: "s", tool: "put", annotations: { idempotentHint: true } },
  { name: "mcp__s__add", server: "s", tool: "add", annotations: {} },
];

/** Sessions of clients in a folder of their own; the work answers a call with what `answer` says. */
class Yard implements AsyncDisposable {
  readonly dir = mkdtempSync(join(tmpdir(), "scorpiox-hub-"));
  readonly events: string[] = [];
  readonly links: HubLink[] = [];
  readonly warnings: string[] = [];
  changes = 0;
  answer: (call: UpstreamCall) => Promise<unknown> = () => Promise.resolve({ ok: true });
  readonly sessions: UpstreamSessions;
  readonly #clients: UpstreamClient[] = [];

  constructor() {
    const processes = new JoinedProcesses(
      () => Promise.reject(new Error("none are wanted")),
      new ServerLogs(join(this.dir, "logs")),
    );
    this.sessions = new UpstreamSessions({
      open: this.#open,
      shared: processes,
      scorpioxDir: this.dir,
      onChange: () => this.changes++,
      log: (line) => this.events.push(`log: ${line}`),
    });
  }

  /** @param reach absent: the sessions of this yard */
  client(
    name: string,
    reach?: ConstructorParameters<typeof HubPort>[0]["connect"],
    openWorker: () => ChannelPort = () => {
      throw new Error("no Worker is wanted");
    },
  ): UpstreamClient {
    const client = new UpstreamClient({
      openPort: () =>
        new HubPort({
          connect: reach ?? this.connect,
          onSilent: (generation) => this.events.push(`silent ${generation}`),
          openWorker,
        }),
      options: { ...this.options(), workspace: name },
      processes: () => Promise.reject(new Error("the hub starts them")),
      warn: (message) => this.warnings.push(message),
      portName: "hub",
    });
    this.#clients.push(client);
    return client;
  }

  options(): UpstreamOptions {
    const { dir } = this;
    return upstreamOptions({
      homeDir: dir,
      scorpioxDir: dir,
      executableDir: dir,
      projectDir: undefined,
    });
  }

  readonly connect: ConstructorParameters<typeof HubPort>[0]["connect"] = (handlers) => {
    const visitor = { pid: 42, purpose: "upstream", clientKey: "k" } as const;
    const { near, far } = memoryLinks(handlers, (link) => this.sessions.accept(visitor, link));
    this.links.push(far);
    return Promise.resolve({ link: near, pid: process.pid, generation: this.links.length });
  };

  readonly #open: OpenUpstreams = (options, host) => {
    const name = options.workspace ?? "?";
    return {
      start: async () => {
        this.events.push(`${name} starts`);
        host.publish({ ...emptySnapshot, revision: 1, tools });
        host.notify({ kind: "snapshot", changed: ["tools"] });
      },
      call: async (call): Promise<UpstreamReply> => {
        this.events.push(`${name} calls ${String(call.params.name)}`);
        return {
          kind: "result",
          json: new JsonText(JSON.stringify(await this.answer(call))),
        };
      },
      checkArguments: () => Promise.resolve(undefined),
      search: () => Promise.resolve(new JsonText("{}")),
      control: () => Promise.resolve(ownValue(null)),
      infoList: () => [],
      subscribe: () => Promise.resolve(true),
      unsubscribe: () => {},
      endClient: () => {},
      [Symbol.asyncDispose]: async () => {
        this.events.push(`${name} ends`);
      },
    };
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client[Symbol.asyncDispose]()));
    await this.sessions[Symbol.asyncDispose]();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function callOf(tool: string): UpstreamCall {
  return {
    server: "s",
    method: "tools/call",
    params: { name: tool },
    clientId: "client",
    capabilities: noClientCapabilities,
    wantsProgress: false,
    timeoutMs: 60_000,
    resultCharsMax: 30_000,
  };
}

function call(client: UpstreamClient, tool: string): Promise<UpstreamReply> {
  return client.call(callOf(tool), noEvents, never);
}

describe("a client whose servers the hub runs", () => {
  test("gets the same snapshot and results as from a Worker of its own", async () => {
    await using yard = new Yard();
    const client = yard.client("one");
    expect((await client.settled(5_000)).tools).toEqual(tools);
    expect(await call(client, "add")).toEqual({
      kind: "result",
      json: new JsonText('{"ok":true}'),
    });
    expect(yard.sessions.facts().map(({ pid, servers }) => [pid, servers])).toEqual([[42, []]]);
  });

  test("has work of its own, which ends with the client and not with another", async () => {
    await using yard = new Yard();
    const [one, two] = [yard.client("one"), yard.client("two")];
    await Promise.all([one.settled(5_000), two.settled(5_000)]);
    await one[Symbol.asyncDispose]();
    expect(yard.events).toEqual(["one starts", "two starts", "one ends"]);
    expect(await call(two, "add")).toMatchObject({ kind: "result" });
  });

  test("keeps its snapshot while a lost hub is found again, and calls are made there", async () => {
    await using yard = new Yard();
    const client = yard.client("one");
    const before = await client.settled(5_000);
    yard.links[0]?.close();
    await Bun.sleep(0);
    expect(client.snapshot?.tools).toEqual(before.tools);
    expect(await call(client, "add")).toMatchObject({ kind: "result" });
    expect(yard.links).toHaveLength(2);
    expect(yard.warnings).toEqual([
      "The hub was lost and is being replaced: the other side closed the link.",
    ]);
  });

  const lost: [tool: string, reply: object, calls: number][] = [
    ["read", { kind: "result" }, 2],
    ["put", { kind: "result" }, 2],
    [
      "add",
      {
        kind: "failed",
        reason: "worker",
        text: "s: The hub was lost: the other side closed the link. The call may have happened: check before you repeat it.",
      },
      1,
    ],
  ];
  test.each(lost)(
    "[HB6] a call of %p in flight when the hub is lost gets one reply, and runs twice only where that does no harm",
    async (tool, reply, calls) => {
      await using yard = new Yard();
      const client = yard.client("one");
      await client.settled(5_000);
      const called = Promise.withResolvers<void>();
      yard.answer = () => {
        called.resolve();
        yard.answer = () => Promise.resolve({ ok: true });
        return new Promise(() => {});
      };
      const answered = call(client, tool);
      await called.promise;
      yard.links[0]?.close();
      expect(await answered).toMatchObject(reply);
      expect(yard.events.filter((event) => event === `one calls ${tool}`)).toHaveLength(calls);
    },
  );

  test("[HB1] waits for a hub that is slow to come, and is not taken for dead meanwhile", async () => {
    await using yard = new Yard();
    const reached = Promise.withResolvers<void>();
    const client = yard.client("one", async (handlers, signal) => {
      await reached.promise;
      return yard.connect(handlers, signal);
    });
    const early = call(client, "add");
    reached.resolve();
    expect(await early).toMatchObject({ kind: "result" });
    expect(yard.warnings).toEqual([]);
  });

  test("[HB1] runs its servers itself where there is to be no hub", async () => {
    await using yard = new Yard();
    const posted: string[] = [];
    const worker: ChannelPort = {
      listen: (onText) => queueMicrotask(() => onText('[{"kind":"closed"}]')),
      postMessage: (text) => posted.push(text),
      terminate: () => posted.push("terminated"),
    };
    const client = yard.client(
      "one",
      () => Promise.resolve(undefined),
      () => worker,
    );
    const called = call(client, "add").catch((error: unknown) => String(error));
    await client[Symbol.asyncDispose]();
    expect(await called).toContain("shutting down");
    expect(posted.map((text) => /"kind":"(\w+)"/.exec(text)?.[1] ?? text)).toEqual([
      "open",
      "call",
      "close",
      "terminated",
    ]);
  });

  test("is let go when it says what is no message, or has another folder", async () => {
    await using yard = new Yard();
    for (const text of [
      "{",
      JSON.stringify({ kind: "open", options: { dirs: { scorpioxDir: "/x" } } }),
    ]) {
      const closed = Promise.withResolvers<string>();
      const link = await yard.connect({ onText: () => {}, onClosed: closed.resolve }, never);
      link?.link.send(text);
      expect(await closed.promise).toBe("the other side closed the link");
    }
    expect(yard.sessions.size).toBe(0);
  });

  test("is let go when it does not read, and finds the hub again", async () => {
    await using yard = new Yard();
    const client = yard.client("one");
    await client.settled(5_000);
    Object.assign(yard.links[0] ?? {}, { waitingBytes: 65 * 1024 * 1024 });
    expect(await call(client, "read")).toMatchObject({ kind: "result" });
    expect(yard.links).toHaveLength(2);
  });
});
