import type { QuestionsReply } from "../../../tools/question-service.ts";
import { type Cause, causesOf, type Verdict } from "../rules/verdict.ts";

/** For a model: why its call was not made, and what it may do now. */
export function refusalText(
  toolName: string,
  verdict: Verdict,
  outcome: QuestionsReply["outcome"] | "forbidden",
  isBuiltIn: boolean,
): string {
  return [`${toolName} was not run: ${because(verdict)}`, ...next(outcome, isBuiltIn)].join(" ");
}

/** The rule and why it is there, as far as they are known. */
export function causeText({ rule, reason }: Cause): string {
  return [rule, reason].filter((text) => text !== undefined).join(": ");
}

function because(verdict: Verdict): string {
  const [worst = "", ...others] = causesOf(verdict).map(causeText);
  if (worst === "") return "the policy of this machine.";
  // Reasons in files of rules are often whole sentences.
  const texts = [worst, ...others.slice(0, othersToldMax)].map((text) => text.replace(/\.$/, ""));
  return `${texts.join("; ")}.`;
}

/** Besides the worst one. */
const othersToldMax = 4;

const another = "Do not try to reach the same in another way: tell the user what you need it for.";

function next(
  outcome: QuestionsReply["outcome"] | "forbidden",
  isBuiltIn: boolean,
): readonly string[] {
  switch (outcome) {
    case "forbidden":
      return ["The rules of the user or the project forbid it.", another];
    case "answered":
    case "declined":
    case "cancelled":
      return ["The user was asked and said no.", another];
    case "timed_out":
      return [
        "The user was asked and did not answer in time. Call it again when the user is there.",
      ];
    case "pending":
      return [
        "The user has been asked and has not answered yet. Make the same call again to hear the answer.",
      ];
    case "unavailable":
      return [
        "It needs the user's consent, and this client cannot ask the user.",
        remedy(isBuiltIn),
      ];
  }
}

function remedy(isBuiltIn: boolean): string {
  return isBuiltIn
    ? "The user can open `scorpiox-code attach` on the machine of this client to be asked there, run it themselves, allow it by a rule in ~/.scorpiox/policy.jsonc, or switch these cautions off with POLICY_CAUTIONS=false in ~/.scorpiox/scorpiox-env.txt."
    : "The user can open `scorpiox-code attach` on the machine of this client to be asked there, run it themselves, or change the rule.";
}
