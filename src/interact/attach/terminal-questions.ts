import type { ShownEnd, ShownQuestions, Terminals } from "../questions/terminals.ts";
import type { GoneReason, TerminalReply } from "./messages.ts";

/** A terminal as questions see it. */
export interface QuestionViewer {
  showQuestion(number: number, question: ShownQuestions): void;
  takeBackQuestion(number: number, reason: GoneReason): void;
}

interface OpenQuestion {
  readonly question: ShownQuestions;
  readonly end: (end: ShownEnd, reason: GoneReason) => void;
}

/** Shows questions on all attached terminals; the first answer wins, and the others see the question go. */
export class TerminalQuestions implements Terminals {
  readonly #viewers = new Set<QuestionViewer>();
  readonly #open = new Map<number, OpenQuestion>();
  #lastNumber = 0;

  get count(): number {
    return this.#viewers.size;
  }

  ask(question: ShownQuestions, signal: AbortSignal): Promise<ShownEnd> {
    if (signal.aborted || this.count === 0) return Promise.resolve({ kind: "gone" });
    const { promise, resolve } = Promise.withResolvers<ShownEnd>();
    const number = ++this.#lastNumber;
    const withdraw = (): void => end({ kind: "gone" }, "withdrawn");
    const end = (result: ShownEnd, reason: GoneReason): void => {
      if (!this.#open.delete(number)) return;
      signal.removeEventListener("abort", withdraw);
      for (const viewer of this.#viewers) viewer.takeBackQuestion(number, reason);
      resolve(result);
    };
    this.#open.set(number, { question, end });
    signal.addEventListener("abort", withdraw, { once: true });
    for (const viewer of this.#viewers) viewer.showQuestion(number, question);
    return promise;
  }

  /** A terminal is there: it sees what is open. */
  add(viewer: QuestionViewer): void {
    this.#viewers.add(viewer);
    for (const [number, { question }] of this.#open) viewer.showQuestion(number, question);
  }

  /** A terminal has gone. With the last one nobody is left who could answer. */
  remove(viewer: QuestionViewer): void {
    if (!this.#viewers.delete(viewer) || this.count > 0) return;
    this.withdrawAll();
  }

  /** A late reply changes nothing: its terminal has been notified that the question is gone. */
  reply(number: number, reply: TerminalReply): void {
    this.#open.get(number)?.end(reply, "answered");
  }

  withdrawAll(): void {
    for (const { end } of this.#open.values()) end({ kind: "gone" }, "withdrawn");
  }
}
