import { describe, expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import { AppError } from "../../../src/base/errors.ts";
import { questionsPerClientMax, questionUnseenMs } from "../../../src/base/limits.ts";
import type { Asking, FormClient } from "../../../src/interact/questions/ask-by-form.ts";
import type { FormElicitation } from "../../../src/protocol/input-request.ts";
import { Questions } from "../../../src/interact/questions/questions.ts";
import type { Rung, ShownEnd, ShownQuestions } from "../../../src/interact/questions/terminals.ts";
import type { QuestionsReply, QuestionsRequest } from "../../../src/tools/state-services.ts";
import { asked, color } from "./fixtures.ts";

const blue = [{ labels: ["blue"], other: null }];
const answered = (rung: string): object => ({ outcome: "answered", rung, answers: blue });

/** A rung whose questions a test answers. */
class FakeRung implements Rung {
  readonly shown: ShownQuestions[] = [];
  readonly taken: string[] = [];
  #ends: ((end: ShownEnd) => void)[] = [];

  constructor(
    readonly name: Rung["name"],
    public isManned = true,
  ) {}

  isThere(): boolean {
    return this.isManned;
  }

  async ask(describeIt: () => Promise<ShownQuestions>, signal: AbortSignal): Promise<ShownEnd> {
    const shown = await describeIt();
    this.shown.push(shown);
    const { promise, resolve } = Promise.withResolvers<ShownEnd>();
    this.#ends.push(resolve);
    signal.addEventListener("abort", () => {
      this.taken.push(shown.id);
      resolve({ kind: "gone" });
    });
    return promise;
  }

  end(end: ShownEnd = { kind: "answered", answers: blue }): void {
    for (const resolve of this.#ends.splice(0)) resolve(end);
  }

  async untilAsked(count = 1): Promise<void> {
    while (this.shown.length < count) await Bun.sleep(1);
  }
}

/** A client whose person answers after `tookMs`, in milliseconds of no clock. */
function client(action: string, tookMs: number, answers: object = { answer1: "blue" }): FormClient {
  return {
    can: () => true,
    ask: (_requests, { onTook } = {}) => {
      onTook?.(tookMs);
      const content = action === "accept" ? { content: answers } : {};
      return Promise.resolve({ question: { action, ...content } });
    },
  };
}

interface Caller {
  readonly id?: string;
  readonly ask?: FormClient;
  readonly isRemote?: boolean;
  readonly answerInMs?: number;
  readonly hasActed?: boolean;
  readonly becomeTask?: () => void;
  readonly cancellation?: Cancellation;
}

function asking(caller: Caller = {}): Asking {
  const { id = "stdio", ask, isRemote = false, answerInMs, hasActed = false, becomeTask } = caller;
  const workspaceDir = (): Promise<string> => Promise.resolve("/shop");
  return {
    call: {
      client: { id, name: "Ada", isRemote, workspaceDir },
      cancellation: caller.cancellation ?? new Cancellation(),
      ...(ask === undefined ? {} : { ask }),
      ...(becomeTask === undefined ? {} : { becomeTask }),
    },
    answerAt: answerInMs === undefined ? undefined : performance.now() + answerInMs,
    hasActed,
  };
}

class Ladder {
  readonly terminal = new FakeRung("terminal", false);
  readonly page = new FakeRung("page", false);
  readonly failures: unknown[] = [];
  readonly questions: Questions;

  constructor(openMs = 60_000, keptMs = 60_000) {
    this.questions = new Questions({
      localRungs: (purpose) =>
        purpose === "consent" ? [this.terminal] : [this.terminal, this.page],
      onFailure: (error) => this.failures.push(error),
      times: { openMs, keptMs },
    });
  }

  ask(caller?: Caller, request: QuestionsRequest = asked): Promise<QuestionsReply> {
    return this.questions.ask(request, asking(caller));
  }
}

describe("the first rung that shows it", () => {
  test.each<[string, Caller, { terminal?: boolean; page?: boolean }, string]>([
    ["a form", { ask: client("accept", 0) }, { terminal: true, page: true }, "elicitation"],
    [
      "a form that is declined too fast",
      { ask: client("decline", questionUnseenMs - 1) },
      { terminal: true },
      "terminal",
    ],
    ["a form that is closed too fast", { ask: client("cancel", 0) }, { page: true }, "page"],
    [
      "a form in a round",
      { ask: { ...client("accept", 0), endsCall: true } },
      { page: true },
      "elicitation",
    ],
    [
      "a round after something was done",
      { ask: { ...client("accept", 0), endsCall: true }, hasActed: true },
      { page: true },
      "page",
    ],
    [
      "a round that is declined too fast",
      { ask: { ...client("decline", 0), endsCall: true } },
      { page: true },
      "page",
    ],
    ["no form", {}, { terminal: true, page: true }, "terminal"],
    ["no terminal", {}, { page: true }, "page"],
  ])("%s", async (_what, caller, { terminal = false, page = false }, rung) => {
    const ladder = new Ladder();
    ladder.terminal.isManned = terminal;
    ladder.page.isManned = page;
    const asking = ladder.ask(caller);
    if (rung !== "elicitation") {
      const there = rung === "page" ? ladder.page : ladder.terminal;
      await there.untilAsked();
      expect(there.shown).toEqual([
        {
          id: expect.any(String),
          ...asked,
          asker: "Ada",
          workspace: "/shop",
          askedAt: expect.any(Number),
        },
      ]);
      there.end();
    }
    expect(await asking).toEqual(answered(rung) as QuestionsReply);
  });

  test.each<[string, Caller]>([
    ["nobody", {}],
    ["a form that is declined too fast", { ask: client("decline", 0) }],
    [
      "a form that fails",
      { ask: { can: () => true, ask: () => Promise.reject(new AppError("system", "no")) } },
    ],
    ["a form that is accepted empty", { ask: client("accept", 1_000, {}) }],
    ["a form with something else", { ask: client("accept", 1_000, { answer1: "green" }) }],
  ])("is none: %s", async (_what, caller) => {
    // Only of nobody it is certain that nobody was asked.
    const isTried = caller.ask === undefined ? {} : { isTried: true as const };
    expect(await new Ladder().ask(caller)).toEqual({ outcome: "unavailable", ...isTried });
  });

  test("is none of this machine for a client elsewhere", async () => {
    const ladder = new Ladder();
    ladder.terminal.isManned = ladder.page.isManned = true;
    expect(await ladder.ask({ isRemote: true })).toEqual({ outcome: "unavailable" });
  });

  test("is never a page for a consent", async () => {
    const ladder = new Ladder();
    ladder.page.isManned = true;
    expect(await ladder.ask({}, { ...asked, purpose: "consent" })).toEqual({
      outcome: "unavailable",
    });
  });

  test("is the page when the last terminal was detached, or when it failed or answered nonsense", async () => {
    for (const end of [{ kind: "gone" }, { kind: "answered", answers: [] }] as const) {
      const ladder = new Ladder();
      ladder.terminal.isManned = ladder.page.isManned = true;
      const asking = ladder.ask();
      await ladder.terminal.untilAsked();
      ladder.terminal.end(end);
      await ladder.page.untilAsked();
      ladder.page.end();
      expect(await asking).toEqual(answered("page") as QuestionsReply);
    }
  });
});

describe("the person", () => {
  test.each([
    ["decline", questionUnseenMs, { outcome: "declined", rung: "elicitation" }],
    ["cancel", questionUnseenMs, { outcome: "cancelled", rung: "elicitation" }],
    // Of unknown age.
    ["decline", Number.POSITIVE_INFINITY, { outcome: "declined", rung: "elicitation" }],
  ])("%s after %p ms", async (action, tookMs, reply) => {
    expect(await new Ladder().ask({ ask: client(action, tookMs) })).toEqual(
      reply as QuestionsReply,
    );
  });

  test.each(["declined", "cancelled"] as const)("%s in a terminal", async (kind) => {
    const ladder = new Ladder();
    ladder.terminal.isManned = true;
    const asking = ladder.ask();
    await ladder.terminal.untilAsked();
    ladder.terminal.end({ kind });
    expect(await asking).toEqual({ outcome: kind, rung: "terminal" });
  });

  test("is asked again with the reason when the client let a malformed answer through", async () => {
    const messages: string[] = [];
    const ask: FormClient["ask"] = ({ question }) => {
      messages.push((question as FormElicitation).params.message);
      if (messages.length === 1) return Promise.reject(new AppError("usage", "Too long."));
      return Promise.resolve({ question: { action: "accept", content: { answer1: "blue" } } });
    };
    const reply = await new Ladder().ask({ ask: { can: () => true, ask } });
    expect(reply).toEqual(answered("elicitation") as QuestionsReply);
    expect(messages).toEqual(["Which color?", "Too long.\n\nWhich color?"]);
  });

  test("is asked again with the reason when an answer is missing", async () => {
    const messages: string[] = [];
    const replies = [{}, { answer1: "blue", other1: " green " }];
    const ask: FormClient["ask"] = ({ question }) => {
      messages.push((question as FormElicitation).params.message);
      return Promise.resolve({ question: { action: "accept", content: replies.shift() } });
    };
    expect(await new Ladder().ask({ ask: { can: () => true, ask } })).toEqual({
      outcome: "answered",
      rung: "elicitation",
      answers: [{ labels: [], other: "green" }],
    });
    expect(messages).toEqual([
      "Which color?",
      "Choose an option, or write an answer under Other.\n\nWhich color?",
    ]);
  });
});

describe("a question that the call cannot wait for", () => {
  const pending = { outcome: "pending", rung: "page", questionId: expect.any(String) };

  async function open(ladder = new Ladder()): Promise<Ladder> {
    ladder.page.isManned = true;
    expect(await ladder.ask({ answerInMs: 5 })).toEqual(pending as unknown as QuestionsReply);
    return ladder;
  }

  test("stays open, and the same asked again fetches its answer, once", async () => {
    const ladder = await open();
    ladder.page.end();
    expect(await ladder.ask({ answerInMs: 5 })).toEqual(answered("page") as QuestionsReply);
    expect(await ladder.ask({ answerInMs: 5 })).toEqual(pending as unknown as QuestionsReply);
    expect(ladder.page.shown).toHaveLength(2);
  });

  test("is waited on for by the same asked again", async () => {
    const ladder = await open();
    const again = ladder.ask();
    ladder.page.end();
    expect(await again).toEqual(answered("page") as QuestionsReply);
    expect(ladder.page.shown).toHaveLength(1);
  });

  test("is not that of another client, and not another question", async () => {
    const ladder = await open();
    await ladder.ask({ id: "other", answerInMs: 5 });
    await ladder.ask({ answerInMs: 5 }, { ...asked, questions: [{ ...color, question: "And?" }] });
    expect(ladder.page.shown).toHaveLength(3);
    expect(new Set(ladder.page.shown.map(({ id }) => id)).size).toBe(3);
  });

  test("is over after its time, and says so to who asks again", async () => {
    const ladder = await open(new Ladder(20));
    while (ladder.page.taken.length === 0) await Bun.sleep(1);
    expect(await ladder.ask()).toEqual({ outcome: "timed_out", rung: "page" });
  });

  test("is forgotten when nobody fetches the answer", async () => {
    const ladder = await open(new Ladder(60_000, 10));
    ladder.page.end();
    await Bun.sleep(30);
    expect(await ladder.ask({ answerInMs: 5 })).toEqual(pending as unknown as QuestionsReply);
  });

  test("is waited for by a call that becomes an MCP task", async () => {
    const ladder = new Ladder();
    ladder.page.isManned = true;
    const { promise, resolve: becomeTask } = Promise.withResolvers<void>();
    const asking = ladder.ask({ answerInMs: 1, becomeTask });
    await promise;
    ladder.page.end();
    expect(await asking).toEqual(answered("page") as QuestionsReply);
  });

  test("is pending where there are too many MCP tasks", async () => {
    const ladder = new Ladder();
    ladder.page.isManned = true;
    const becomeTask = (): never => {
      throw new Error("too many");
    };
    const reply = await ladder.ask({ answerInMs: 1, becomeTask });
    expect(reply).toEqual(pending as unknown as QuestionsReply);
  });

  test("counts against the client until it is answered and fetched, or makes room", async () => {
    const ladder = new Ladder();
    ladder.page.isManned = true;
    const ask = (number: number): Promise<QuestionsReply> =>
      ladder.ask(
        { answerInMs: 0 },
        { ...asked, questions: [{ ...color, question: `Question ${number}` }] },
      );
    for (let number = 0; number < questionsPerClientMax; number += 1) {
      expect((await ask(number)).outcome).toBe("pending");
    }
    expect(ask(-1)).rejects.toThrow(/^16 questions of this client are open/);
    expect((await ladder.ask({ id: "other", answerInMs: 0 })).outcome).toBe("pending");
    ladder.page.end();
    await Bun.sleep(0);
    expect((await ask(-1)).outcome).toBe("pending");
  });
});

describe("a question is taken back", () => {
  async function start(cancellation = new Cancellation()): Promise<{
    ladder: Ladder;
    asking: Promise<unknown>;
  }> {
    const ladder = new Ladder();
    ladder.page.isManned = true;
    const asking = ladder.ask({ cancellation }).catch((error: unknown) => error);
    await ladder.page.untilAsked();
    return { ladder, asking };
  }

  test("when its call is cancelled", async () => {
    const cancellation = new Cancellation();
    const { ladder, asking } = await start(cancellation);
    cancellation.cancel();
    expect(await asking).toEqual(new AppError("cancelled", "The call was cancelled."));
    expect(ladder.page.taken).toHaveLength(1);
  });

  test("not while another call waits for it", async () => {
    const cancellation = new Cancellation();
    const { ladder, asking } = await start(cancellation);
    const other = ladder.ask();
    cancellation.cancel();
    await asking;
    expect(ladder.page.taken).toEqual([]);
    ladder.page.end();
    expect(await other).toEqual(answered("page") as QuestionsReply);
  });

  test("when its client goes, and only those of that client", async () => {
    const { ladder, asking } = await start();
    const other = ladder.ask({ id: "other" });
    await ladder.page.untilAsked(2);
    ladder.questions.endClient("stdio");
    expect(await asking).toEqual({ outcome: "cancelled", rung: "page" });
    expect(ladder.page.taken).toEqual([ladder.page.shown[0]?.id ?? ""]);
    ladder.page.end();
    expect(await other).toEqual(answered("page") as QuestionsReply);
  });

  test("when the server goes", async () => {
    const { ladder, asking } = await start();
    ladder.questions[Symbol.dispose]();
    expect(await asking).toEqual({ outcome: "cancelled", rung: "page" });
    expect(ladder.page.taken).toHaveLength(1);
  });
});

test("what ends a call to ask in a round is let through", async () => {
  const needed = new Error("InputNeeded");
  const ask: FormClient = { can: () => true, endsCall: true, ask: () => Promise.reject(needed) };
  expect(new Ladder().ask({ ask })).rejects.toBe(needed);
});

test.each([
  [true, 1],
  [false, 2],
])("a person is not asked again by a call that only runs again: %p", async (isReplaying, times) => {
  const ladder = new Ladder();
  ladder.terminal.isManned = true;
  const form = { ...client("decline", 0), endsCall: true };
  const first = ladder.ask({ ask: form });
  await ladder.terminal.untilAsked();
  ladder.terminal.end({ kind: "declined" });
  const declined = { outcome: "declined", rung: "terminal" } as const;
  expect(await first).toEqual(declined);
  const again = ladder.ask({ ask: { ...form, isReplaying } });
  if (times > 1) await ladder.terminal.untilAsked(times);
  ladder.terminal.end({ kind: "declined" });
  expect(await again).toEqual(declined);
  expect(ladder.terminal.shown).toHaveLength(times);
});

test("a rung that throws is told of, and the next is tried", async () => {
  const ladder = new Ladder();
  ladder.terminal.isManned = ladder.page.isManned = true;
  const broken = new Error("broken");
  ladder.terminal.ask = () => Promise.reject(broken);
  const asking = ladder.ask();
  await ladder.page.untilAsked();
  ladder.page.end();
  expect(await asking).toEqual(answered("page") as QuestionsReply);
  expect(ladder.failures).toEqual([broken]);
});
