import { afterEach, describe, expect, jest, spyOn, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { hookLookMs, policyLookMs } from "../../../src/base/limits.ts";
import type { CallRequest } from "../../../src/calls/call.ts";
import type { ToolTarget } from "../../../src/calls/call-target.ts";
import type { GateStage, Refusal } from "../../../src/calls/gate/gate-stage.ts";
import { Admissions } from "../../../src/calls/gate/gate.ts";
import { endWithoutRun } from "../../../src/calls/policy/hooks/hook.ts";
import { HookSessions } from "../../../src/calls/policy/hooks/hook-sessions.ts";
import { Hooks } from "../../../src/calls/policy/hooks/hooks.ts";
import { HooksStage } from "../../../src/calls/policy/hooks/hooks-stage.ts";
import { SessionFolders } from "../../../src/calls/policy/hooks/session-folder.ts";
import { PlanStage, PolicyStage } from "../../../src/calls/policy/policy-stage.ts";
import { PolicyFiles } from "../../../src/calls/policy/rules/policy-files.ts";
import { UpstreamStage } from "../../../src/calls/upstream/upstream-stage.ts";
import { HooksTree } from "../policy/hooks/hooks-tree.ts";

afterEach(() => {
  jest.restoreAllMocks();
});

interface Asked {
  readonly name?: string;
  readonly id?: string;
  readonly target?: CallRequest["target"];
  readonly hasRoots?: boolean;
  readonly cancellation?: Cancellation;
}

function callOf({ name = "T", id = "c", target, hasRoots, cancellation }: Asked = {}): CallRequest {
  const client = {
    id,
    limits: { answerMs: 0, resultCharsMax: 1_000 },
    workspaceDir: () => Promise.resolve("/"),
    ...(hasRoots === true && { roots: () => Promise.resolve([]) }),
  };
  return {
    name,
    args: {},
    version: "2025-11-25",
    client,
    cancellation: cancellation ?? new Cancellation(),
    ...(target === undefined ? {} : { target }),
  };
}

function targetWith(more: Partial<ToolTarget["rights"]> = {}): ToolTarget {
  const rights: ToolTarget["rights"] = {
    name: "s",
    sampling: "deny",
    elicitation: "deny",
    roots: "none",
    timeoutMs: 1_000,
    handover: true,
    ...more,
  };
  return { kind: "tool", server: "s", tool: "t", rights, hasOutputSchema: false };
}

/** A clock that stands until it is moved. */
function stoppedClock(): { now: number } {
  const clock = { now: 1_000_000 };
  spyOn(performance, "now").mockImplementation(() => clock.now);
  return clock;
}

const decisionOf = async (
  admissions: Admissions,
  call: CallRequest,
): Promise<Refusal["decision"] | "allowed"> =>
  (await admissions.admit(call))?.refusal?.decision ?? "allowed";

/** How often a stage was entered for its check. */
function counted<Stage extends GateStage>(stage: Stage): { stage: Stage; entered: () => number } {
  const check = spyOn(stage as GateStage, "check");
  return { stage, entered: () => check.mock.calls.length };
}

function policyStage(path: string, warnsOfDanger = false): PolicyStage {
  const files = new PolicyFiles([{ path, level: "user" }], () => {});
  return new PolicyStage({
    policy: files.current,
    policyFreshUntil: () => files.freshUntil,
    policyAt: () => files.current(),
    questions: () => ({ ask: () => Promise.resolve({ outcome: "unavailable" }) }),
    homeDir: "/home/me",
    warnsOfDanger,
    ignoresCase: false,
    shell: "bash",
    searchPath: () => Promise.resolve([]),
  });
}

const denyAll = JSON.stringify({ rules: [{ tool: "*", action: "deny" }] });

describe("Admissions: a stage at rest", () => {
  test("a rule that is added holds from the moment on at which the files are looked at again", async () => {
    using tree = new HooksTree();
    const clock = stoppedClock();
    const path = join(tree.root, "policy.jsonc");
    const { stage, entered } = counted(policyStage(path));
    const admissions = new Admissions([stage]);
    expect(await decisionOf(admissions, callOf())).toBe("allowed");
    writeFileSync(path, denyAll);
    clock.now += policyLookMs - 1;
    expect(await decisionOf(admissions, callOf())).toBe("allowed");
    expect(entered()).toBe(1);
    clock.now += 1;
    expect(await decisionOf(admissions, callOf())).toBe("denied");
    expect(await decisionOf(admissions, callOf({ name: "U" }))).toBe("denied");
    expect(entered()).toBe(3);
  });

  test("a rule that is there for one call holds for a kind of calls that has rested", async () => {
    using tree = new HooksTree();
    const clock = stoppedClock();
    const path = join(tree.root, "policy.jsonc");
    const admissions = new Admissions([policyStage(path)]);
    await admissions.admit(callOf({ name: "A" }));
    clock.now += policyLookMs / 2;
    await admissions.admit(callOf({ name: "B" }));
    writeFileSync(path, denyAll);
    clock.now += policyLookMs / 2;
    for (const name of ["B", "A"]) {
      expect(await decisionOf(admissions, callOf({ name }))).toBe("denied");
    }
  });

  test("cautions, the rules of a client's project and a server's policy are never at rest", () => {
    using tree = new HooksTree();
    const stage = policyStage(join(tree.root, "none"), true);
    expect(stage.restFor(callOf({ name: "Bash" }))).toBeUndefined();
    expect(stage.restFor(callOf({ hasRoots: true }))).toBeUndefined();
    expect(stage.restFor(callOf({ target: targetWith({ policy: "ask" }) }))).toBeUndefined();
    expect(stage.restFor(callOf())).toBeDefined();
  });

  test("a hook that is added runs when the folders are looked at again; a session that ends begins again", async () => {
    using tree = new HooksTree();
    const clock = stoppedClock();
    const ran: string[] = [];
    const hooks = new Hooks({
      folders: tree.folders,
      runner: {
        run: ({ eventName }) => {
          ran.push(eventName);
          return Promise.resolve(endWithoutRun("failed", "ended with exit code 1"));
        },
      },
      sessions: new SessionFolders([join(tree.scorpioxDir, "sessions")]),
      instanceId: "i",
      timeoutMs: 1_000,
      depth: 0,
      secrets: [],
      warn: () => {},
    });
    const sessions = new HookSessions(hooks, "/");
    const isOwnTool = (): boolean => true;
    const confirm = (): Promise<undefined> => Promise.resolve(undefined);
    const { stage, entered } = counted(new HooksStage({ hooks, sessions, isOwnTool, confirm }));
    const admissions = new Admissions([stage]);
    for (let call = 0; call < 4; call += 1) {
      expect(await decisionOf(admissions, callOf())).toBe("allowed");
    }
    const before = entered();
    tree.user("tool_use/sync-no");
    tree.user("session_start/hello");
    clock.now += hookLookMs - 1;
    expect(await decisionOf(admissions, callOf())).toBe("allowed");
    expect(entered()).toBe(before);
    clock.now += 1;
    expect(await decisionOf(admissions, callOf())).toBe("vetoed");
    expect(ran).toEqual(["tool_use"]);
    sessions.end("c");
    expect(await decisionOf(admissions, callOf())).toBe("vetoed");
    expect(ran).toContain("session_start");
  });

  test("the rest of a client's hooks ends with its session", async () => {
    const clock = stoppedClock();
    const hooks = { noneUntil: () => clock.now + 500, emit: () => Promise.resolve(undefined) };
    const sessions = new HookSessions({ ...hooks, tell: () => {} } as unknown as Hooks, "/");
    expect(sessions.restUntil("c", "tool_use", clock.now + 500)).toBeUndefined();
    await sessions.begin(callOf().client);
    const rest = sessions.restUntil("c", "tool_use", clock.now + 500);
    expect(rest?.until).toBe(clock.now + 500);
    sessions.end("c");
    expect(rest?.until).toBe(Number.NEGATIVE_INFINITY);
  });

  test("plan mode that another process enters holds for the next call", async () => {
    let plan: { readonly planFile: string } | undefined;
    const admissions = new Admissions([new PlanStage(() => Promise.resolve(plan))]);
    const target = targetWith();
    const tools = [callOf({ target }), callOf({ target: { ...target, isReadOnly: true } })];
    const decisions = (): Promise<string[]> =>
      Promise.all(tools.map((call) => decisionOf(admissions, call)));
    expect(await decisions()).toEqual(["allowed", "allowed"]);
    plan = { planFile: "p" };
    expect(await decisions()).toEqual(["denied", "allowed"]);
    // The same tool, whose definition is not approved any more as one that only reads.
    expect(await decisionOf(admissions, callOf({ target }))).toBe("denied");
  });

  test("a server that loses its rights, or its approval, is looked at with the next call", async () => {
    using tree = new HooksTree();
    const upstreams = { checkArguments: () => Promise.resolve(undefined) };
    const stages = [new UpstreamStage(upstreams), policyStage(join(tree.root, "none"))];
    const admissions = new Admissions(stages);
    const target = targetWith();
    for (let call = 0; call < 3; call += 1) {
      expect(await decisionOf(admissions, callOf({ target }))).toBe("allowed");
    }
    expect(admissions.isAtRest(callOf({ target }), 0)).toBe(false);
    expect(admissions.isAtRest(callOf({ target }), 1)).toBe(true);
    const denied = targetWith({ policy: "deny" });
    expect(await decisionOf(admissions, callOf({ target: denied }))).toBe("denied");
    const { server, tool } = target;
    const about = { server, tool, reason: "unapproved", text: "approve it" } as const;
    const blocked = { kind: "blocked", ...about } as unknown as CallRequest["target"];
    expect(await decisionOf(admissions, callOf({ target: blocked }))).toBe("denied");
  });

  test("a cancelled call is looked at by every stage, and so is one whose client offers folders now", () => {
    const entered: string[] = [];
    const stage: GateStage = {
      check: () => void entered.push("check"),
      restFor: () => ({ until: Infinity }),
    };
    const admissions = new Admissions([stage]);
    const cancellation = new Cancellation();
    void admissions.admit(callOf());
    void admissions.admit(callOf({ cancellation }));
    expect(entered.length).toBe(1);
    cancellation.cancel();
    void admissions.admit(callOf({ cancellation }));
    void admissions.admit(callOf({ hasRoots: true }));
    void admissions.admit(callOf({ id: "d" }));
    expect(entered.length).toBe(4);
  });

  test("a name with a NUL does not make one client's call another's", () => {
    const entered: string[] = [];
    const stage: GateStage = {
      check: ({ client }) => void entered.push(client.id),
      restFor: () => ({ until: Infinity }),
    };
    const admissions = new Admissions([stage]);
    for (const [id, name] of [
      ["a", "b\0c"],
      ["a\0b", "c"],
      ["1 a", "c"],
      ["1", "ac"],
    ] as const) {
      void admissions.admit(callOf({ id, name }));
    }
    expect(entered).toEqual(["a", "a\0b", "1 a", "1"]);
  });

  test("stages at rest see arguments that a later stage has changed", async () => {
    const seen: unknown[] = [];
    const early: GateStage = {
      check: ({ args }) => void seen.push(args),
      restFor: () => ({ until: Infinity }),
    };
    let args: object | undefined;
    const late: GateStage = {
      check: () => (args === undefined ? undefined : Promise.resolve({ args: { ...args } })),
    };
    const admissions = new Admissions([early, late]);
    void admissions.admit(callOf());
    void admissions.admit(callOf());
    args = { changed: true };
    await admissions.admit(callOf());
    expect(seen).toEqual([{}, { changed: true }]);
  });

  test("a rest that cannot be told fails the call", () => {
    const restFor = (): never => {
      throw new Error("broken");
    };
    const admissions = new Admissions([{ check: () => undefined, restFor }]);
    expect(() => admissions.admit(callOf())).toThrow("broken");
  });
});

/** What a stage of the model looks at: its answer, which it looks up again after a while only. */
class ModelStage implements GateStage {
  readonly #clock: { readonly now: number };
  readonly #lookMs: number;
  readonly #rest = { until: -Infinity };
  isRefusing = false;
  #isRefusing = false;
  #lookedAt = -Infinity;

  constructor(clock: { readonly now: number }, lookMs: number) {
    this.#clock = clock;
    this.#lookMs = lookMs;
  }

  check(): Promise<Refusal | undefined> | undefined {
    if (this.#clock.now >= this.#lookedAt + this.#lookMs) {
      this.#lookedAt = this.#clock.now;
      this.#isRefusing = this.isRefusing;
    }
    return this.#isRefusing ? Promise.resolve({ decision: "denied", text: "no" }) : undefined;
  }

  mayObject(): boolean {
    return this.#isRefusing || this.#clock.now >= this.#lookedAt + this.#lookMs;
  }

  restFor(): { until: number } {
    this.#rest.until = this.#isRefusing ? -Infinity : this.#lookedAt + this.#lookMs;
    return this.#rest;
  }

  /** Has the next call look. */
  wake(): void {
    this.#lookedAt = -Infinity;
    this.#rest.until = -Infinity;
  }
}

/** Waits as long as a later stage may object. */
const whileLast: GateStage = {
  check: (_call, isLast) => (isLast() ? undefined : Promise.resolve(undefined)),
};

test("Admissions: calls are decided as if no stage ever rested", async () => {
  const clock = stoppedClock();
  const step = fc.oneof(
    fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ kind: fc.constant("turn" as const), at: fc.integer({ min: 0, max: 2 }) }),
    fc.record({ kind: fc.constant("wake" as const), at: fc.integer({ min: 0, max: 2 }) }),
    fc.record({ kind: fc.constant("call" as const), name: fc.constantFrom("A", "B") }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const worlds = [true, false].map((rests) => {
        const models = [20, 50, 90].map((lookMs) => new ModelStage(clock, lookMs));
        const [first, ...others] = models;
        const stages: GateStage[] = first === undefined ? [] : [first, whileLast, ...others];
        const plain = stages.map((stage): GateStage => {
          return { check: (call, isLast) => stage.check(call, isLast) };
        });
        return { models, admissions: new Admissions(rests ? stages : plain) };
      });
      for (const one of steps) {
        if (one.kind === "pass") clock.now += one.ms;
        for (const { models } of worlds) {
          const model = one.kind === "turn" || one.kind === "wake" ? models[one.at] : undefined;
          if (one.kind === "turn" && model !== undefined) model.isRefusing = !model.isRefusing;
          if (one.kind === "wake") model?.wake();
        }
        if (one.kind !== "call") continue;
        const decisions = await Promise.all(
          worlds.map(({ admissions }) => decisionOf(admissions, callOf({ name: one.name }))),
        );
        expect(decisions[0]).toBe(decisions[1] ?? "pending");
      }
    }),
  );
});
