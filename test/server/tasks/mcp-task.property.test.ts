import { expect, test } from "bun:test";
import fc from "fast-check";

import { Cancellation } from "../../../src/base/cancellation.ts";
import type { CallOutcome } from "../../../src/calls/call.ts";
import type { InputRequests } from "../../../src/protocol/input-request.ts";
import type { McpTask } from "../../../src/server/tasks/mcp-task.ts";
import { McpTasks } from "../../../src/server/tasks/mcp-tasks.ts";
import { FakeClock } from "./fake-clock.ts";

/** What the client and the call may do to a task, in any order and number. */
type Step =
  | { readonly kind: "get" | "cancel" | "expire" }
  | { readonly kind: "ask"; readonly names: readonly string[] }
  | { readonly kind: "update"; readonly keys: readonly string[]; readonly isGood: boolean }
  | { readonly kind: "settle"; readonly outcome: CallOutcome }
  | { readonly kind: "reject" };

const name = fc.constantFrom("a", "b", "a-2");
const outcome = fc.constantFrom<CallOutcome>(
  { kind: "result", json: '{"isError":true}' },
  { kind: "fault", fault: { code: -32603, message: "no" } },
  { kind: "cancelled" },
  { kind: "input-required", requests: {}, requestState: "s" },
);
const key = fc.constantFrom("a", "b", "a-2", "a-3", "b-2", "a-2-2", "x");
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>({ kind: "get" }),
  fc.constant<Step>({ kind: "cancel" }),
  fc.constant<Step>({ kind: "expire" }),
  fc.constant<Step>({ kind: "reject" }),
  fc.record({ kind: fc.constant("ask" as const), names: fc.uniqueArray(name) }),
  fc.record({
    kind: fc.constant("update" as const),
    keys: fc.uniqueArray(key),
    isGood: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("settle" as const), outcome }),
);

const finals = ["completed", "failed", "cancelled"];

/** Checks, after each step, what must be true of a task at any time. */
class Observer {
  /** Each question is another object, so that a key can be seen to mean another one. */
  readonly #questions = new Map<string, unknown>();
  readonly #closedKeys = new Set<string>();
  #open = new Set<string>();
  #final: string | undefined;

  look(task: McpTask): void {
    const shown = JSON.parse(task.getResult()) as { status: string; inputRequests?: object };
    const { state } = task;
    expect(shown.status).toBe(state.status);
    expect(shown.inputRequests !== undefined).toBe(state.status === "input_required");
    if (this.#final !== undefined) expect(task.getResult()).toBe(this.#final);
    else if (finals.includes(state.status)) this.#final = task.getResult();
    const requests = state.status === "input_required" ? state.inputRequests : {};
    for (const [open, question] of Object.entries(requests)) {
      expect(this.#closedKeys.has(open)).toBe(false);
      expect(this.#questions.get(open) ?? question).toBe(question);
      this.#questions.set(open, question);
    }
    for (const before of this.#open) if (!(before in requests)) this.#closedKeys.add(before);
    this.#open = new Set(Object.keys(requests));
  }
}

function question(names: readonly string[]): InputRequests {
  return Object.fromEntries(names.map((each) => [each, { method: "roots/list" }]));
}

function answers({ keys, isGood }: { keys: readonly string[]; isGood: boolean }): object {
  return Object.fromEntries(keys.map((each) => [each, isGood ? { roots: [] } : 7]));
}

/** Does one step; returns the ask that it began. */
function perform(step: Step, task: McpTask, clock: FakeClock): Promise<unknown> | undefined {
  switch (step.kind) {
    case "get":
      task.notificationParams();
      return undefined;
    case "cancel":
      task.cancel();
      return undefined;
    case "expire":
      clock.moveTo(1_000);
      return undefined;
    case "reject":
      task.settleWithError(new Error("defect"));
      return undefined;
    case "ask":
      return task.ask(question(step.names));
    case "update":
      task.update(answers(step) as Record<string, unknown>);
      return undefined;
    case "settle":
      task.settle(step.outcome);
      return undefined;
  }
}

test("McpTask: any interleaving ends in exactly one final state, with every ask settled", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const clock = new FakeClock();
      const tasks = new McpTasks(clock);
      const task = tasks.create("owner", new Cancellation(), { ttlMs: 1_000 });
      const statuses: string[] = [];
      tasks.onChange(({ state }) => statuses.push(state.status));
      const observer = new Observer();
      const asks: Promise<unknown>[] = [];
      for (const each of steps) {
        const asked = perform(each, task, clock);
        if (asked !== undefined) asks.push(asked);
        observer.look(task);
      }
      task.settle({ kind: "cancelled" });
      observer.look(task);
      await Promise.allSettled(asks);
      expect(finals).toContain(task.state.status);
      expect(statuses.filter((status) => finals.includes(status)).length).toBeLessThanOrEqual(1);
      expect(statuses.slice(0, -1).filter((status) => finals.includes(status))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
