import type { QuestionsReply, QuestionsRequest } from "../../tools/question-service.ts";

/** A question of ours that is answered by yes or no. */
export interface ConsentQuestion {
  /** All that the user has to know to decide. */
  readonly text: string;
  readonly yes: string;
  readonly no: string;
}

/** What has become of a consent; only `yes` allows anything. */
export type Consent = "yes" | "no" | "pending" | "unavailable";

export function consentRequest({ text, yes, no }: ConsentQuestion): QuestionsRequest {
  const options = [yes, no].map((label) => ({ label, description: null }));
  const question = { question: text, header: null, options, multiSelect: false, preselected: no };
  return { purpose: "consent", questions: [question] };
}

/**
 * What the reply to `consentRequest` means. Words of one's own are no consent, and neither are both options;
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
