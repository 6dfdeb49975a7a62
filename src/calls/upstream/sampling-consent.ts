import { AppError } from "../../base/errors.ts";
import type { StateServices } from "../state-calls.ts";
import type { AskOccasion } from "./ask-occasion.ts";

const yes = "Allow once";
const no = "Deny";

/**
 * Asks the user whether a server may put something to the client's model.
 * @throws AppError `refused` unless the user says yes; InputNeeded to be let through
 */
export async function asksModel(
  questions: StateServices["questions"],
  { server, call, until, isAnswered }: AskOccasion,
): Promise<void> {
  const text =
    `${server}, another MCP server, wants to put a question to your client's model (sampling) ` +
    `while it works on ${call.name}. Its cost is yours, and the server sees the answer.`;
  const options = [yes, no].map((label) => ({ label, description: null }));
  const question = { question: text, header: null, options, multiSelect: false, preselected: no };
  const asking = {
    call: { ...call, cancellation: until },
    answerAt: undefined,
    hasActed: isAnswered,
  };
  const reply = await questions.ask({ purpose: "consent", questions: [question] }, asking);
  const answer = reply.outcome === "answered" ? reply.answers[0] : undefined;
  if (answer?.other === null && answer.labels.length === 1 && answer.labels[0] === yes) return;
  throw new AppError(
    "refused",
    `${server} asked for the client's model, and the user did not allow it.`,
  );
}
