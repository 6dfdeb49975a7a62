import { AppError } from "../../base/errors.ts";
import {
  questionKeptMsMax,
  questionOpenMsMax,
  questionsOpenMax,
  questionsPerClientMax,
} from "../../base/limits.ts";
import { startTimer, type Timer } from "../../base/timer.ts";
import type { OpenQuestion } from "./open-question.ts";

interface Entry {
  readonly question: OpenQuestion;
  timer: Timer;
}

/** How long questions stay; tests bring their own. */
export interface QuestionTimes {
  readonly openMs: number;
  readonly keptMs: number;
}

const defaultTimes: QuestionTimes = { openMs: questionOpenMsMax, keptMs: questionKeptMsMax };

/** All questions that are open, or whose answer nobody has fetched. Each goes by itself after its time. */
export class QuestionTable {
  readonly #times: QuestionTimes;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();

  constructor(times: QuestionTimes = defaultTimes) {
    this.#times = times;
  }

  find(key: string): OpenQuestion | undefined {
    return this.#entries.get(key)?.question;
  }

  /**
   * Answers that were not fetched give way.
   * @throws AppError `limit` when there is no room for another open question
   */
  assertRoom(clientId: string): void {
    const all = [...this.#entries.values()].map(({ question }) => question);
    const own = all.filter((question) => question.clientId === clientId);
    this.#makeRoom(own, questionsPerClientMax, "of this client");
    this.#makeRoom(all, questionsOpenMax, "of all clients");
  }

  add(question: OpenQuestion): void {
    const timer = startTimer(this.#times.openMs, () => question.close("timed_out"));
    this.#entries.set(question.key, { question, timer });
    void question.settled.then(() => this.#onSettled(question));
  }

  /** Its answer was fetched, or nobody wants it any more. */
  delete(question: OpenQuestion): void {
    const entry = this.#entries.get(question.key);
    if (entry?.question !== question) return;
    entry.timer.stop();
    this.#entries.delete(question.key);
  }

  /** Takes back all questions, or those of one client. */
  withdraw(clientId?: string): void {
    for (const { question } of this.#entries.values()) {
      if (clientId !== undefined && question.clientId !== clientId) continue;
      this.delete(question);
      question.close("cancelled");
    }
  }

  #onSettled(question: OpenQuestion): void {
    const entry = this.#entries.get(question.key);
    if (entry?.question !== question) return;
    entry.timer.stop();
    entry.timer = startTimer(this.#times.keptMs, () => this.delete(question));
  }

  #makeRoom(questions: readonly OpenQuestion[], limit: number, whose: string): void {
    if (questions.length < limit) return;
    const over = questions.find(({ isSettled }) => isSettled);
    if (over !== undefined) return this.delete(over);
    const message = `${limit} questions ${whose} are open, which is the limit. Wait for an answer to one of them, or ask in the chat.`;
    throw new AppError("limit", message);
  }
}
