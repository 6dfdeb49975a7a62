import { AppError } from "../../base/errors.ts";
import { mcpTaskTtlMsDefault, questionOpenMsMax } from "../../base/limits.ts";
import { startTimer } from "../../base/timer.ts";
import type { QuestionsReply } from "../../tools/question-service.ts";
import type { Asking, AskingCall } from "./asking.ts";
import type { OpenQuestion } from "./open-question.ts";

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

function goesOnAsTask({ becomeTask }: AskingCall): boolean {
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
