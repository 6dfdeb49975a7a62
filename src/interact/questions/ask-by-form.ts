import type { Cancellation } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { questionFormsMax, questionUnseenMs } from "../../base/limits.ts";
import type { QuestionsRequest } from "../../tools/question-service.ts";
import type { FormClient } from "./asking.ts";
import { problemsOfAnswers, problemText } from "./check-answers.ts";
import { readForm } from "./read-form.ts";
import { questionForm } from "./question-form.ts";
import type { ShownEnd } from "./terminals.ts";

/**
 * Asks the person by a form of the client; again when an answer is missing or malformed. `gone` when the client showed nothing:
 * it declined faster than anybody can, it failed, or it went.
 * @throws whatever `client.ask` throws that is no AppError, such as what ends a call to ask in a round
 */
export async function askByForm(
  client: FormClient,
  request: QuestionsRequest,
  until?: Cancellation,
): Promise<ShownEnd> {
  let problem: string | undefined;
  for (let count = 0; count < questionFormsMax; count += 1) {
    const reading = await askOnce(client, request, problem, until);
    if (reading.kind !== "incomplete") return reading;
    problem = reading.problem;
  }
  return { kind: "gone" };
}

type Reading = ShownEnd | { readonly kind: "incomplete"; readonly problem: string };

async function askOnce(
  client: FormClient,
  request: QuestionsRequest,
  problem: string | undefined,
  until: Cancellation | undefined,
): Promise<Reading> {
  const form = questionForm(request, problem);
  let tookMs = Number.POSITIVE_INFINITY;
  const onTook = (ms: number): void => void (tookMs = ms);
  try {
    const options = until === undefined ? { onTook } : { onTook, until };
    const { question } = await client.ask({ question: form }, options);
    if (question?.["action"] !== "accept") {
      if (tookMs < questionUnseenMs) return { kind: "gone" };
      return { kind: question?.["action"] === "decline" ? "declined" : "cancelled" };
    }
    const answers = readForm(request.questions, question);
    const problems = problemsOfAnswers(request, answers);
    if (problems.length === 0) return { kind: "answered", answers };
    return { kind: "incomplete", problem: problemText(problems, request.questions.length) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The client let something through that the form does not take: whoever wrote it is told.
    if (error.code === "usage") return { kind: "incomplete", problem: error.message };
    return { kind: "gone" };
  }
}
