import type { QuestionsReply, QuestionsRequest } from "../../tools/state-services.ts";

/** A yes-or-no question of scorpiox-code itself. */
export interface ConsentQuestion {
  /** All that the user has to know to decide. */
  readonly text: string;
  readonly yes: string;
  readonly no: string;
}

/** The outcome of a consent; only `yes` allows the call. */
export type Consent = "yes" | "no" | "pending" | "unavailable";

export function consentRequest({ text, yes, no }: ConsentQuestion): QuestionsRequest {
  const options = [yes, no].map((label) => ({ label, description: null }));
  const question = { question: text, header: null, options, multiSelect: false, preselected: no };
  return { purpose: "consent", questions: [question] };
}

/**
 * The outcome that a reply to `consentRequest` means. A written answer is not a consent, and neither are both options;
 * `unavailable` when there was nobody to ask or nobody answered in time.
 */
export function readConsent({ yes }: ConsentQuestion, reply: QuestionsReply): Consent {
  switch (reply.outcome) {
    case "answered": {
      const [answer] = reply.answers;
      const isYes =
        answer?.other === null && answer.labels.length === 1 && answer.labels[0] === yes;
      return isYes ? "yes" : "no";
    }
    case "declined":
    case "cancelled":
      return "no";
    case "pending":
      return "pending";
    case "timed_out":
    case "unavailable":
      return "unavailable";
  }
}
