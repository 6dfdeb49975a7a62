import { startTimer, type Timer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import {
  mcpTaskTtlMsDefault,
  questionKeptMsMax,
  questionOpenMsMax,
  questionsOpenMax,
  questionsPerClientMax,
} from "../../base/limits.ts";
import type { QuestionsReply } from "../../tools/state-services.ts";
import type { Asking, QuestionCall } from "./ask-by-form.ts";
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

/**
 * The end of the question, or `pending` when the client has to be answered before: then the question stays open.
 * A client that takes MCP tasks is given one instead, and its call waits on.
 * @throws AppError `cancelled` when the call is
 */
export async function waitForQuestion(
  question: OpenQuestion,
  { call, answerAt }: Asking,
): Promise<QuestionsReply> {
  const { promise, resolve, reject } = Promise.withResolvers<QuestionsReply>();
  const onCancel = (): void => reject(new AppError("cancelled", "The call was cancelled."));
  const onLate = (): void => {
    if (goesOnAsTask(call)) return;
    const { rung, id: questionId } = question;
    resolve({ outcome: "pending", rung, questionId });
  };
  const timer =
    answerAt === undefined ? undefined : startTimer(answerAt - performance.now(), onLate);
  call.cancellation.onCancel(onCancel);
  question.waiting += 1;
  void question.settled.then(resolve);
  try {
    return await promise;
  } finally {
    question.waiting -= 1;
    timer?.stop();
    call.cancellation.offCancel(onCancel);
  }
}

function goesOnAsTask({ becomeTask }: QuestionCall): boolean {
  if (becomeTask === undefined) return false;
  try {
    // The answer may come at the very end, and shall be readable as long as others.
    const ttlMs = questionOpenMsMax + mcpTaskTtlMsDefault;
    becomeTask({ statusMessage: "Waiting for the user's answer.", ttlMs });
    return true;
  } catch {
    // There are too many MCP tasks: it is answered as if there were none.
    return false;
  }
}
