import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { Cancellation } from "../../../../src/base/cancellation.ts";
import type { CallRequest } from "../../../../src/calls/call.ts";
import {
  endWithoutRun,
  type Hook,
  type HookEnd,
  hookKey,
} from "../../../../src/calls/policy/hooks/hook.ts";
import { CallingClients } from "../../../../src/calls/gate/calling-clients.ts";
import type { Refusal } from "../../../../src/calls/gate/gate-stage.ts";
import type { HookRun } from "../../../../src/calls/policy/hooks/hook-runner.ts";
import { HookSessions, IdleWatch } from "../../../../src/calls/policy/hooks/hook-sessions.ts";
import { Hooks } from "../../../../src/calls/policy/hooks/hooks.ts";
import { HooksStage } from "../../../../src/calls/policy/hooks/hooks-stage.ts";
import { SessionFolders } from "../../../../src/calls/policy/hooks/session-folder.ts";
import type { Verdict } from "../../../../src/calls/policy/rules/rule.ts";
import { eventually } from "../../../e2e/harness/conditions.ts";
import { posixTest } from "../../../e2e/harness/platform.ts";
import { HooksTree } from "./hooks-tree.ts";
import { atThisLoad } from "../../../fixtures/at-this-load.ts";

const done = endWithoutRun("done", "ended with exit code 0");

class Harness implements Disposable {
  readonly tree = new HooksTree();
  /** Event and data of each run. */
  readonly told: [key: string, data: unknown][] = [];
  readonly hooks: Hooks;
  readonly sessions: HookSessions;
  readonly stage: HooksStage;
  /** What the user was asked about, and why. */
  readonly asked: [args: unknown, verdict: Verdict][] = [];
  /** Undefined: the user agrees. */
  answer: Refusal | undefined;
  end: (hook: Hook, run: HookRun) => HookEnd | Promise<HookEnd> = () => done;

  constructor() {
    this.hooks = new Hooks({
      folders: this.tree.folders,
      runner: {
        run: async (hook, run) => {
          const data = JSON.parse(await run.payload.argument(true)) as unknown;
          this.told.push([hookKey(hook), data]);
          return this.end(hook, run);
        },
      },
      sessions: new SessionFolders([join(this.tree.scorpioxDir, "sessions")]),
      instanceId: "instance",
      timeoutMs: 1_000,
      depth: 0,
      secrets: ["hunter2hunter2"],
      warn: () => {},
    });
    this.sessions = new HookSessions(this.hooks, "/fallback");
    this.stage = new HooksStage({
      hooks: this.hooks,
      sessions: this.sessions,
      isOwnTool: (toolName) => toolName === "Bash",
      confirm: (call, verdict) => {
        this.asked.push([call.args, verdict]);
        return Promise.resolve(this.answer);
      },
    });
  }

  /** Has hooks say these texts, by name, and end well. */
  say(texts: Readonly<Record<string, string>>): void {
    this.end = ({ name }) => ({ ...done, output: texts[name] ?? "" });
  }

  async refusal(call: CallRequest): Promise<Refusal> {
    const checked = await this.stage.check(call);
    if (checked === undefined || !("decision" in checked)) throw new Error("it was let through");
    return checked;
  }

  call(more: Partial<CallRequest> = {}): CallRequest {
    return {
      name: "Bash",
      args: { command: "ls" },
      version: "2025-11-25",
      client: {
        id: "client",
        limits: { answerMs: 0, resultCharsMax: 1_000 },
        workspaceDir: () => Promise.resolve("/work"),
      },
      cancellation: new Cancellation(),
      ...more,
    };
  }

  [Symbol.dispose](): void {
    this.tree[Symbol.dispose]();
  }
}

const data = {
  phase: "pre",
  tool: "Bash",
  arguments: { command: "ls" },
  client: "client",
  workspace: "/work",
};

describe("HooksStage", () => {
  posixTest("own tools are tool_use, tools of other servers mcp_call", async () => {
    using harness = new Harness();
    for (const key of ["tool_use/sync-a", "mcp_call/sync-b"]) harness.tree.user(key);
    expect(await harness.stage.check(harness.call())).toBeUndefined();
    const other = harness.call({ name: "server__tool", args: undefined });
    expect(await harness.stage.check(other)).toBeUndefined();
    expect(harness.told).toEqual([
      ["tool_use/sync-a", data],
      ["mcp_call/sync-b", { ...data, tool: "server__tool", arguments: {} }],
    ]);
  });

  posixTest("a veto names the hook, how it ended and what it says, made harmless", async () => {
    using harness = new Harness();
    harness.tree.user("tool_use/sync-a");
    const output = `no \u001b[31mway\u202e ${"x".repeat(5_000)}`;
    harness.end = () => ({ ...endWithoutRun("failed", "ended with exit code 3"), output });
    const refusal = await harness.refusal(harness.call());
    expect(refusal.decision).toBe("vetoed");
    const [first, ...rest] = refusal.text.split("\n");
    expect(first).toBe(
      "Bash was not called: the hook tool_use/sync-a (user) ended with exit code 3. It says:",
    );
    expect(rest.join("\n")).toMatch(
      /^no \\u\{1b\}\[31mway\\u\{202e\} x+\n\[\d+ characters left out\]\nx+$/,
    );
    expect(refusal.text.length).toBeLessThan(2_300);
  });

  posixTest("without a workspace nothing is called", async () => {
    using harness = new Harness();
    harness.tree.user("tool_use/sync-a");
    const { client } = harness.call();
    const workspaceDir = (): Promise<string> => Promise.reject(new Error("no roots"));
    const refusal = await harness.stage.check(
      harness.call({ client: { ...client, workspaceDir } }),
    );
    expect(refusal).toEqual({
      decision: "vetoed",
      text: "Bash was not called: its hooks could not be run: no roots",
    });
  });

  posixTest("a cancelled call ends its hook and is not made", async () => {
    using harness = new Harness();
    harness.tree.user("tool_use/sync-a");
    harness.end = (_hook, { signal }) => {
      const { promise, resolve } = Promise.withResolvers<HookEnd>();
      signal.addEventListener("abort", () => resolve(endWithoutRun("cancelled", "was ended")));
      return promise;
    };
    const call = harness.call();
    const checking = harness.stage.check(call);
    await eventually("the hook runs", () => harness.told.length > 0);
    call.cancellation.cancel();
    expect(await checking).toEqual({ decision: "denied", text: "The call was cancelled." });
  });

  posixTest("a call that is cancelled while its session begins is not made", async () => {
    using harness = new Harness();
    harness.tree.user("session_start/sync-a");
    harness.tree.user("tool_use/sync-b");
    const ending = Promise.withResolvers<HookEnd>();
    harness.end = () => ending.promise;
    const call = harness.call();
    const checking = harness.stage.check(call);
    await eventually("the hook runs", () => harness.told.length > 0);
    call.cancellation.cancel();
    expect(await checking).toEqual({ decision: "denied", text: "The call was cancelled." });
    ending.resolve(done);
    await harness.hooks.settled();
    expect(harness.told.map(([key]) => key)).toEqual(["session_start/sync-a"]);
  });

  posixTest("the time that the start of a session takes is the call's", async () => {
    using harness = new Harness();
    harness.tree.user("session_start/sync-a");
    harness.tree.user("tool_use/sync-b");
    const times: number[] = [];
    harness.end = async ({ name }, { timeoutMs }) => {
      times.push(timeoutMs);
      if (name === "sync-a") await Bun.sleep(100);
      return done;
    };
    const { client } = harness.call();
    const limits = { answerMs: 800, resultCharsMax: 1_000 };
    await harness.stage.check(harness.call({ client: { ...client, limits } }));
    expect(times.map((ms) => ms <= 700)).toEqual([false, true]);
  });

  posixTest("a call that was cancelled before begins no session", async () => {
    using harness = new Harness();
    harness.tree.user("session_start/a");
    const call = harness.call();
    call.cancellation.cancel();
    const refusal = await harness.stage.check(call);
    expect(refusal).toEqual({ decision: "denied", text: "The call was cancelled." });
    await harness.hooks.settled();
    expect(harness.told).toEqual([]);
  });

  posixTest("hooks that let a call through do not run in its later rounds", async () => {
    using harness = new Harness();
    harness.tree.user("tool_use/sync-a");
    const marks: string[] = [];
    const ask = {
      can: () => false,
      ask: () => Promise.reject(new Error("nobody")),
      mark: (what: string) => void marks.push(what),
      marksWith: (prefix: string) =>
        marks.flatMap((mark) => (mark.startsWith(prefix) ? mark.slice(prefix.length) : [])),
    };
    harness.end = () => endWithoutRun("failed", "ended with exit code 1");
    expect((await harness.refusal(harness.call({ ask }))).decision).toBe("vetoed");
    harness.end = () => done;
    expect(await harness.stage.check(harness.call({ ask }))).toBeUndefined();
    expect(harness.told.length).toBe(2);
    expect(await harness.stage.check(harness.call({ ask }))).toBeUndefined();
    expect(harness.told.length).toBe(2);
  });

  posixTest(
    "mayObject(): before it is known that there are no hooks, and where there are",
    async () => {
      using harness = new Harness();
      harness.tree.user("tool_use/sync-a");
      const [own, foreign] = [harness.call(), harness.call({ name: "mcp__a__b" })];
      const seen = (): boolean[] => [own, foreign].map((call) => harness.stage.mayObject(call));
      expect(seen()).toEqual([true, true]);
      await harness.stage.check(own);
      await harness.stage.check(foreign);
      expect(seen()).toEqual([true, false]);
    },
  );

  posixTest(
    "the first call waits for the hooks of the start, others do not run them again",
    async () => {
      using harness = new Harness();
      harness.tree.user("session_start/sync-a");
      harness.tree.user("session_end/b");
      harness.tree.user("tool_use/sync-c");
      await harness.stage.check(harness.call());
      await harness.stage.check(harness.call());
      harness.sessions.end("client");
      harness.sessions.end("client");
      await harness.hooks.settled();
      const session = { client: "client", workspace: "/work" };
      expect(harness.told).toEqual([
        ["session_start/sync-a", session],
        ["tool_use/sync-c", data],
        ["tool_use/sync-c", data],
        ["session_end/b", session],
      ]);
    },
  );

  test("without hooks a call passes without waiting, at the cost of two looks into a table", async () => {
    using harness = new Harness();
    const call = harness.call();
    await harness.stage.check(call);
    const count = 10_000;
    const begunAt = performance.now();
    for (let index = 0; index < count; index++) {
      if (harness.stage.check(call) !== undefined) throw new Error("it waits");
    }
    // 0.1 µs is usual here; the promise is 2 µs, with room for a busy machine.
    expect(((performance.now() - begunAt) / count) * 1_000).toBeLessThan(atThisLoad(5));
  });
});

const result = { content: [{ type: "text", text: "secret" }], isError: false };

describe("what hooks say by JSON", () => {
  const others = { updated_arguments: { command: "ls -l" } };

  const denied = "Bash was not called: the hook tool_use/sync-b (user) ";
  posixTest.each<[said: string, text: string]>([
    ['{"decision":"deny","reason":"not now"}', `${denied}denied it. It says:\nnot now`],
    ['checking...\n{"decision":"deny"}', `${denied}denied it.`],
    ['{"decision":"no"}', `${denied}has a decision that is not "allow", "ask" or "deny".`],
    ['{"decision":"allow","updated_arguments":[]}', `${denied}has updated_arguments of no object.`],
  ])("%s stops the call", async (said, text) => {
    using harness = new Harness();
    for (const key of ["tool_use/sync-a", "tool_use/sync-b", "tool_use/sync-c"])
      harness.tree.user(key);
    harness.say({ "sync-a": '{"decision":"ask"}', "sync-b": said });
    expect(await harness.refusal(harness.call())).toEqual({ decision: "vetoed", text });
    expect(harness.told.map(([key]) => key)).toEqual(["tool_use/sync-a", "tool_use/sync-b"]);
  });

  posixTest("half an answer is none", async () => {
    using harness = new Harness();
    harness.tree.user("tool_use/sync-b");
    harness.end = () => ({
      ...done,
      output: '{"decision":"all\n[9 bytes left out]\n',
      isCut: true,
    });
    const text = `${denied}wrote an answer that is too long.`;
    expect(await harness.refusal(harness.call())).toEqual({ decision: "vetoed", text });
  });

  posixTest.each(["", "all is well", '{"time":1}', "{", '{"decision":"allow"}', "[1]"])(
    "%p lets it through",
    async (said) => {
      using harness = new Harness();
      harness.tree.user("tool_use/sync-a");
      harness.say({ "sync-a": said });
      expect(await harness.stage.check(harness.call())).toBeUndefined();
      expect(harness.asked).toEqual([]);
    },
  );

  posixTest("a call need not be a plain object", async () => {
    using harness = new Harness();
    harness.tree.user("tool_use/sync-a");
    const call = Object.create(harness.call()) as CallRequest;
    expect(await harness.stage.check(call)).toBeUndefined();
    expect(harness.told).toEqual([["tool_use/sync-a", data]]);
  });

  posixTest("new arguments are seen by those after it, and by those beside", async () => {
    using harness = new Harness();
    for (const name of ["sync-a", "sync-b", "c"]) harness.tree.user(`tool_use/${name}`);
    harness.say({ "sync-a": JSON.stringify(others) });
    const changed = await harness.stage.check(harness.call());
    expect(changed).toEqual({ args: { command: "ls -l" } });
    await harness.hooks.settled();
    const later = { ...data, arguments: { command: "ls -l" } };
    expect(harness.told).toEqual([
      ["tool_use/sync-a", data],
      ["tool_use/sync-b", later],
      ["tool_use/c", later],
    ]);
  });

  posixTest(
    "ask: the user is asked about the call as it is to be made, also when it comes back",
    async () => {
      using harness = new Harness();
      for (const name of ["sync-a", "sync-b"]) harness.tree.user(`mcp_call/${name}`);
      harness.say({
        "sync-a": '{"decision":"ask","reason":"it is Friday"}',
        "sync-b": JSON.stringify({ ...others, decision: "allow" }),
      });
      const marks: string[] = [];
      const ask = {
        can: () => false,
        ask: () => Promise.reject(new Error("nobody")),
        mark: (what: string) => void marks.push(what),
        marksWith: (prefix: string) =>
          marks.flatMap((mark) => (mark.startsWith(prefix) ? mark.slice(prefix.length) : [])),
      };
      for (let round = 0; round < 2; round++) {
        const call = harness.call({ name: "mcp__s__t", ask });
        const amendment = await harness.stage.check(call);
        if (amendment === undefined || "decision" in amendment) throw new Error("no amendment");
        expect(amendment.args).toEqual({ command: "ls -l" });
        await amendment.confirm?.({ ...call, args: amendment.args });
      }
      const rule = "the hook mcp_call/sync-a (user)";
      const verdict: Verdict = { action: "ask", rule, reason: "it is Friday" };
      const asked: [unknown, Verdict] = [{ command: "ls -l" }, verdict];
      expect(harness.asked).toEqual([asked, asked]);
      expect(harness.told.length).toBe(2);
    },
  );

  const plain = [{ type: "text", text: "x" }];
  const asJson = [{ type: "text", text: '{"a":2}' }];
  posixTest.each([
    ["Bash", { content: plain }, '{"a":1}', plain, undefined, '{"a":1}'],
    [
      "Bash",
      { content: plain, structuredContent: { a: 2 } },
      '{"a":1}',
      plain,
      undefined,
      '{"a":2}',
    ],
    ["Bash", { content: [], structuredContent: { a: 2 } }, '{"a":1}', asJson, undefined, '{"a":2}'],
    [
      "Bash",
      { content: plain, structuredContent: { a: 2 } },
      undefined,
      plain,
      undefined,
      '{"a":2}',
    ],
    [
      "mcp__s__t",
      { content: plain, structuredContent: { a: 2 } },
      undefined,
      plain,
      { a: 2 },
      undefined,
    ],
  ] as const)(
    "what a hook makes of the data of %s: %j",
    async (name, updated, dataJson, content, structuredContent, data) => {
      using harness = new Harness();
      harness.tree.user("tool_use/sync-a");
      harness.tree.user("tool_use/sync-b");
      harness.tree.user("mcp_call/sync-a");
      const call = harness.call({ name });
      await harness.stage.check(call);
      harness.told.length = 0;
      harness.say({ "sync-a": JSON.stringify({ updated_result: updated }) });
      expect(harness.stage.wantsData(call)).toBe(true);
      const json = JSON.stringify({ content: [{ type: "text", text: "text" }], isError: false });
      const outcome = { kind: "result", json, ...(dataJson && { dataJson }) } as const;
      const look = await harness.stage.after(call, outcome, Infinity);
      expect(harness.told[0]?.[1]).toMatchObject({
        result: { content: [{ text: "text" }], ...(dataJson && { structuredContent: { a: 1 } }) },
      });
      expect([JSON.parse(look?.json ?? ""), look?.dataJson]).toEqual([
        { content, isError: false, ...(structuredContent && { structuredContent }) },
        data,
      ]);
    },
  );

  posixTest("after the call: a result in its place, and warnings", async () => {
    using harness = new Harness();
    for (const name of ["sync-a", "sync-b", "sync-c", "sync-d", "sync-e", "f"])
      harness.tree.user(`tool_use/${name}`);
    const call = harness.call();
    await harness.stage.check(call);
    harness.told.length = 0;
    const updated = { content: [{ type: "text", text: "***" }] };
    harness.end = ({ name }) => {
      if (name === "sync-a") return endWithoutRun("failed", "ended with exit code 1");
      const says: Record<string, string> = {
        "sync-b": JSON.stringify({ updated_result: updated }),
        "sync-c": '{"updated_result":{"content":[{"type":"text"}]}}',
        "sync-d": '{"decision":"deny","reason":"too late"}',
      };
      return { ...done, output: says[name] ?? "" };
    };
    const json = JSON.stringify(result);
    const look = await harness.stage.after(call, { kind: "result", json }, Infinity);
    const warning = (name: string, how: string): string =>
      `Warning: the hook tool_use/sync-${name} (user) ${how} after the call.`;
    expect(look?.lines).toEqual([
      warning("a", "ended with exit code 1"),
      warning("c", "gave an invalid result"),
      `${warning("d", 'said "deny"')} It says:\ntoo late`,
    ]);
    const shown = { ...updated, isError: false };
    expect(JSON.parse(look?.json ?? "")).toEqual(shown);
    expect(look?.dataJson).toBeUndefined();
    await harness.hooks.settled();
    const post = { ...data, phase: "post" };
    expect(harness.told).toEqual(
      ["sync-a", "sync-b", "sync-c", "sync-d", "sync-e", "f"].map((name, index) => [
        `tool_use/${name}`,
        { ...post, result: index < 2 ? result : shown },
      ]),
    );
  });
});

describe("IdleWatch", () => {
  const callOf = (id: string): CallRequest => {
    const limits = { answerMs: 0, resultCharsMax: 1 };
    const client = { id, limits, workspaceDir: () => Promise.resolve("/") };
    return { name: "T", args: {}, version: "2025-11-25", client, cancellation: new Cancellation() };
  };

  test("tells once of each time without calls, and not of clients that are gone", async () => {
    const told: string[] = [];
    const clients = new CallingClients();
    using _watch = new IdleWatch(
      clients,
      (clientId, idleMs) => void told.push(`${clientId} ${idleMs >= 20}`),
      20,
    );
    for (const id of ["a", "b", "gone", "busy"]) {
      clients.began(callOf(id));
      if (id === "gone") clients.forget(id);
      clients.ended(callOf(id));
    }
    clients.began(callOf("gone later"));
    clients.ended(callOf("gone later"));
    clients.forget("gone later");
    clients.began(callOf("busy"));
    await eventually("two", () => told.length === 2);
    clients.began(callOf("a"));
    clients.ended(callOf("a"));
    await eventually("a again", () => told.length === 3);
    expect(told).toEqual(["a true", "b true", "a true"]);
  });
});
