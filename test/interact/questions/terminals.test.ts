import { describe, expect, test } from "bun:test";

import {
  TerminalQuestions,
  type QuestionViewer,
  type ShownQuestions,
} from "../../../src/interact/questions/terminals.ts";

const shown: ShownQuestions = {
  id: "q",
  questions: [{ question: "Which?", header: null, options: [], multiSelect: false }],
  purpose: "question",
  asker: "test",
  workspace: "/",
  askedAt: 0,
};

class Viewer implements QuestionViewer {
  readonly seen: string[] = [];

  showQuestion(number: number): void {
    this.seen.push(`show ${number}`);
  }

  takeBackQuestion(number: number, reason: string): void {
    this.seen.push(`${reason} ${number}`);
  }
}

const never = new AbortController().signal;

describe("TerminalQuestions", () => {
  test("without a terminal there is nobody to ask", async () => {
    expect(await new TerminalQuestions().ask(shown, never)).toEqual({ kind: "gone" });
  });

  test("the first answer wins, the others see the question go, late ones change nothing", async () => {
    const questions = new TerminalQuestions();
    const [one, other] = [new Viewer(), new Viewer()];
    questions.add(one);
    questions.add(other);
    const end = questions.ask(shown, never);
    questions.reply(1, { kind: "declined" });
    questions.reply(1, { kind: "cancelled" });
    expect(await end).toEqual({ kind: "declined" });
    expect([one.seen, other.seen]).toEqual([
      ["show 1", "answered 1"],
      ["show 1", "answered 1"],
    ]);
  });

  test("a terminal that comes later sees what is open", async () => {
    const questions = new TerminalQuestions();
    const [one, later] = [new Viewer(), new Viewer()];
    questions.add(one);
    void questions.ask(shown, never);
    questions.add(later);
    expect(later.seen).toEqual(["show 1"]);
    expect(questions.count).toBe(2);
  });

  test("with the last terminal the question is gone, not with the first", async () => {
    const questions = new TerminalQuestions();
    const [one, other] = [new Viewer(), new Viewer()];
    questions.add(one);
    questions.add(other);
    const end = questions.ask(shown, never);
    questions.remove(one);
    expect(questions.count).toBe(1);
    expect(await Promise.race([end, Promise.resolve("open")])).toBe("open");
    questions.remove(other);
    expect(await end).toEqual({ kind: "gone" });
  });

  test("a question that is taken back is gone from all terminals", async () => {
    const questions = new TerminalQuestions();
    const viewer = new Viewer();
    questions.add(viewer);
    const abort = new AbortController();
    const end = questions.ask(shown, abort.signal);
    abort.abort();
    expect(await end).toEqual({ kind: "gone" });
    expect(viewer.seen).toEqual(["show 1", "withdrawn 1"]);
    expect(await questions.ask(shown, abort.signal)).toEqual({ kind: "gone" });
  });
});
