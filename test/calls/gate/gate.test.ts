import { describe, expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { AppError } from "../../../src/base/errors.ts";
import { InputNeeded } from "../../../src/calls/ask-client.ts";
import type { ToolTarget } from "../../../src/calls/call-target.ts";
import type {
  AfterStages,
  CallMaker,
  CallOutcome,
  CallRequest,
  ClientLimits,
} from "../../../src/calls/call.ts";
import type { CallEnd, GateStage, Refusal } from "../../../src/calls/gate/gate-stage.ts";
import { Admissions, Gate, type GateParts } from "../../../src/calls/gate/gate.ts";
import type { CallToolResult, TextContent } from "../../../src/protocol/tool-types.ts";

const done: Extract<CallOutcome, { kind: "result" }> = {
  kind: "result",
  json: '{"content":[{"type":"text","text":"done"}]}',
};
const refusal: Refusal = { decision: "denied", text: "no\uD800" };

class GateHarness {
  readonly log: string[] = [];
  readonly cancellation = new Cancellation();
  outcome: CallOutcome | Error = done;
  limits: Partial<ClientLimits> = {};
  called: CallRequest | undefined;
  afterStages: AfterStages | undefined;

  stage(name: string, answer?: Refusal | Error, isLater = true): GateStage {
    return {
      check: () => {
        this.log.push(name);
        if (!isLater) return undefined;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    };
  }

  call({
    stages = [],
    ...parts
  }: Omit<Partial<GateParts>, "stages"> & {
    stages?: readonly GateStage[];
  }): Promise<CallOutcome> {
    const router: CallMaker = {
      call: (request, afterStages) => {
        this.called = request;
        this.afterStages = afterStages;
        this.log.push("call");
        return this.outcome instanceof Error
          ? Promise.reject(this.outcome)
          : Promise.resolve(this.outcome);
      },
    };
    const ended = (_call: CallRequest, { decision, outcome }: CallEnd): void =>
      void this.log.push(`ended ${decision} ${outcome}`);
    const watchers = [{ began: () => void this.log.push("began"), ended }];
    const gate = new Gate({
      own: router,
      admissions: new Admissions(stages),
      notes: [],
      watchers,
      ...parts,
    });
    const client = {
      id: "c",
      limits: { answerMs: 0, resultCharsMax: 1_000, ...this.limits },
      workspaceDir: () => Promise.resolve("/"),
    };
    return gate.call({
      name: "A",
      args: {},
      version: "2025-11-25",
      client,
      cancellation: this.cancellation,
    });
  }
}

const text = (said: string): TextContent => ({ type: "text", text: said });
const resultOf = (outcome: CallOutcome): unknown =>
  outcome.kind === "result" && JSON.parse(outcome.json);

const textsOf = (outcome: CallOutcome): unknown =>
  outcome.kind === "result" &&
  (JSON.parse(outcome.json) as { content: { text: string }[] }).content.map(({ text }) => text);

describe("Gate", () => {
  test("all stages in their order, then the call", async () => {
    const gate = new GateHarness();
    const stages = [
      gate.stage("1", undefined, false),
      gate.stage("2"),
      gate.stage("3", undefined, false),
    ];
    expect(await gate.call({ stages })).toEqual(done);
    expect(gate.log).toEqual(["began", "1", "2", "3", "call", "ended allowed result"]);
  });

  test("the first refusal counts, and is a result with an error", async () => {
    const gate = new GateHarness();
    const stages = [gate.stage("1"), gate.stage("2", refusal), gate.stage("3")];
    const outcome = await gate.call({ stages });
    expect(outcome.kind === "result" && JSON.parse(outcome.json)).toEqual({
      content: [{ type: "text", text: "no\uFFFD" }],
      isError: true,
    });
    expect(gate.log).toEqual(["began", "1", "2", "ended denied undefined"]);
  });

  test("a stage that wants other arguments has the stages before asked again, and the user about those", async () => {
    const gate = new GateHarness();
    const args = { path: "b" };
    const note = (name: string): GateStage["check"] =>
      function ({ args: seen }) {
        gate.log.push(`${name} ${JSON.stringify(seen)}`);
        return undefined;
      };
    const confirm = ({ args: seen }: CallRequest): Promise<undefined> => {
      gate.log.push(`user ${JSON.stringify(seen)}`);
      return Promise.resolve(undefined);
    };
    const stages = [
      { check: note("1") },
      { check: () => Promise.resolve({ args, confirm }) },
      { check: note("3") },
    ];
    expect(await gate.call({ stages })).toEqual(done);
    const b = '{"path":"b"}';
    expect(gate.log).toEqual([
      "began",
      "1 {}",
      `1 ${b}`,
      `user ${b}`,
      `3 ${b}`,
      "call",
      "ended allowed result",
    ]);
    expect(gate.called?.args).toEqual(args);
  });

  test("what an earlier stage, or the user, has against the other arguments is a refusal", async () => {
    const gate = new GateHarness();
    const args = { path: "b" };
    const strict: GateStage = {
      check: ({ args: seen }) => (seen === args ? Promise.resolve(refusal) : undefined),
    };
    const confirm = (): Promise<Refusal> => Promise.resolve(refusal);
    for (const stages of [
      [strict, { check: () => Promise.resolve({ args }) }],
      [{ check: () => Promise.resolve({ confirm }) }],
    ]) {
      await gate.call({ stages });
    }
    const refused = ["began", "ended denied undefined"];
    expect(gate.log).toEqual([...refused, ...refused]);
  });

  test("stages see the result one after the other, and what the last leaves is the client's", async () => {
    const gate = new GateHarness();
    const seen: unknown[] = [];
    const stages = ["a", "b", undefined].map((text): GateStage => ({
      check: () => undefined,
      after(_call, outcome) {
        seen.push(textsOf(outcome));
        if (text === undefined) return undefined;
        const json = JSON.stringify({ content: [{ type: "text", text }] });
        return Promise.resolve({ json, lines: [`line ${text}`] });
      },
    }));
    expect(textsOf(await gate.call({ stages }))).toEqual(["b", "\nline b"]);
    expect(seen).toEqual([["done"], ["a", "\nline a"], ["b", "\nline b"]]);
  });

  test("a call that is answered before it ends is looked at when it does", async () => {
    const gate = new GateHarness();
    const after = (): Promise<{ lines: string[] }> => Promise.resolve({ lines: ["seen"] });
    const stages = [{ check: () => undefined, after }];
    const interim: CallOutcome = { kind: "result", json: done.json, isInterim: true };
    gate.outcome = interim;
    expect(await gate.call({ stages })).toEqual(interim);
    expect(textsOf((await gate.afterStages?.(done)) ?? interim)).toEqual(["done", "\nseen"]);
  });

  test("InputNeeded and defects pass, and the watchers hear of the end", async () => {
    const gate = new GateHarness();
    const needed = new InputNeeded({}, "state");
    expect(
      await gate.call({ stages: [gate.stage("1", needed)] }).catch((error: unknown) => error),
    ).toBe(needed);
    gate.outcome = new Error("defect");
    expect(await gate.call({}).catch((error: unknown) => error)).toBe(gate.outcome);
    expect(gate.log).toEqual([
      "began",
      "1",
      "ended pending input-required",
      "began",
      "call",
      "ended allowed undefined",
    ]);
  });

  test("a stage that is told of the cancellation ends the call without a reply", async () => {
    const gate = new GateHarness();
    const told = new AppError("cancelled", "The call was cancelled.");
    const outcome = gate.call({ stages: [gate.stage("1", told)] });
    gate.cancellation.cancel();
    expect(await outcome).toEqual({ kind: "cancelled" });
    expect(gate.log.at(-1)).toBe("ended pending cancelled");
  });

  test("notes end results and refusals, in their order, and are told when they go", async () => {
    const gate = new GateHarness();
    const note = (...lines: string[]): GateParts["notes"][number] => ({
      notesFor: () => lines,
      delivered: (_call, told) => void gate.log.push(`told ${told.join()}`),
    });
    const notes = [note("a", "b"), note(), note("c")];
    expect(textsOf(await gate.call({ notes }))).toEqual(["done", "\na\nb", "\nc"]);
    expect(textsOf(await gate.call({ notes, stages: [gate.stage("1", refusal)] }))).toEqual([
      "no\uFFFD",
      "\na\nb",
      "\nc",
    ]);
    expect(gate.log.filter((line) => line.startsWith("told"))).toEqual([
      "told a,b",
      "told c",
      "told a,b",
      "told c",
    ]);
    gate.outcome = { kind: "cancelled" };
    expect(await gate.call({ notes })).toEqual({ kind: "cancelled" });
  });

  const structured = { a: 1 };
  const content = [text("done")];
  const rights = { name: "files" } as ToolTarget["rights"];
  const foreign = {
    kind: "tool",
    server: "files",
    tool: "t",
    rights,
    hasOutputSchema: true,
  } as const;
  test.each<[string, CallRequest["target"], object, object]>([
    ["of ours", undefined, structured, { a: 1, notes: ["w", "b", "c"] }],
    ["of ours that has notes", undefined, { notes: ["a"] }, { notes: ["a", "w", "b", "c"] }],
    ["of a search", { kind: "search" }, structured, { a: 1, notes: ["w", "b", "c"] }],
  ])("the JSON of a result %s", async (_name, target, structuredContent, shown) => {
    const gate = new GateHarness();
    gate.outcome = { kind: "result", json: JSON.stringify({ content, structuredContent }) };
    const notes = [{ notesFor: () => ["b", "c"], delivered: () => {} }];
    const stage = { ...gate.stage("1"), after: () => Promise.resolve({ lines: ["w"] }) };
    const resolve = (call: CallRequest): CallRequest => ({ ...call, ...(target && { target }) });
    const outcome = await gate.call({ notes, stages: [stage], resolve });
    expect(resultOf(outcome)).toEqual({
      content: [...content, text("\nw"), text("\nb\nc")],
      structuredContent: shown,
    });
  });

  const listed = { ...foreign, hasOutputSchema: true };
  const bare = { ...foreign, hasOutputSchema: false };
  const instead = text('\n{"a":1}\nThe call was made, and this is its result; but:\nw');
  const full = { content, structuredContent: structured, isError: false };
  const untold = { content: [...content, text('\n{"a":1}\nw')], isError: false };
  const both = { ...full, content: [...content, text("\nw")] };
  const marked = { content: [...content, instead], isError: true };
  test.each<[ClientLimits["shows"], ToolTarget, Partial<CallRequest>, CallToolResult]>([
    ["text", listed, {}, both],
    ["both", listed, {}, both],
    ["json", bare, {}, untold],
    [undefined, bare, {}, untold],
    ["json", listed, {}, marked],
    ["json", listed, { version: "2025-03-26" }, untold],
    [undefined, listed, { wantsData: true }, both],
  ])("lines about a foreign result do not wait: %j", async (shows, target, more, shown) => {
    const gate = new GateHarness();
    gate.limits = shows === undefined ? {} : { shows };
    gate.outcome = { kind: "result", json: JSON.stringify(full) };
    const notes = [{ notesFor: () => ["b"], delivered: () => void gate.log.push("told") }];
    const stage = { ...gate.stage("1"), after: () => Promise.resolve({ lines: ["w"] }) };
    const resolve = (call: CallRequest): CallRequest => ({ ...call, ...more, target });
    // What was waiting comes with what is a text by now.
    expect(resultOf(await gate.call({ notes, stages: [stage], resolve }))).toEqual({
      ...shown,
      content: [...shown.content, text("\nb")],
    });
    expect(gate.log).toContain("told");
  });

  test.each<[ClientLimits["shows"], object, boolean]>([
    ["json", full, false],
    [undefined, full, false],
    [undefined, { ...full, isError: true }, false],
    ["text", full, true],
    ["both", full, true],
    ["json", { content, isError: false }, true],
  ])("lines of the time over a foreign result: %j, %j", async (shows, result, isTold) => {
    const gate = new GateHarness();
    gate.limits = shows === undefined ? {} : { shows };
    gate.outcome = { kind: "result", json: JSON.stringify(result) };
    const delivered = (): void => void gate.log.push("told");
    const notes = [{ notesFor: () => ["b"], delivered }];
    const resolve = (call: CallRequest): CallRequest => ({ ...call, target: listed });
    expect(resultOf(await gate.call({ notes, resolve }))).toEqual({
      ...result,
      content: [...content, ...(isTold ? [text("\nb")] : [])],
    });
    expect(gate.log.includes("told")).toBe(isTold);
  });

  test.each([
    [9, true],
    [8, false],
  ])("a result of %d characters at most", async (resultCharsMax, isTold) => {
    const gate = new GateHarness();
    gate.limits = { resultCharsMax };
    const notes = [{ notesFor: () => ["four"], delivered: () => void gate.log.push("told") }];
    const outcome = await gate.call({ notes });
    expect(textsOf(outcome)).toEqual(["done", ...(isTold ? ["\nfour"] : [])]);
    expect(gate.log.includes("told")).toBe(isTold);
  });

  test("a stage gives data of its own to programs", async () => {
    const gate = new GateHarness();
    gate.outcome = { ...done, dataJson: '{"a":1}' };
    const look = { json: done.json, dataJson: '{"a":2}', lines: [] };
    const stage = { ...gate.stage("1"), after: () => Promise.resolve(look) };
    expect(await gate.call({})).toEqual({ ...done, dataJson: '{"a":1}' });
    expect(await gate.call({ stages: [stage] })).toEqual({ ...done, dataJson: '{"a":2}' });
  });
});
