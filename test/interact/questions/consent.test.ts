import { expect, test } from "bun:test";

import { consentRequest, readConsent } from "../../../src/interact/questions/consent.ts";
import type { Answer, QuestionsReply } from "../../../src/tools/state-services.ts";

const question = { text: "Run it?", yes: "Allow", no: "Deny" };
const answered = (answer: Answer): QuestionsReply => ({
  outcome: "answered",
  rung: "elicitation",
  answers: [answer],
});

test("consentRequest() asks one question with two options", () => {
  expect(consentRequest(question)).toEqual({
    purpose: "consent",
    questions: [
      {
        question: "Run it?",
        header: null,
        options: [
          { label: "Allow", description: null },
          { label: "Deny", description: null },
        ],
        multiSelect: false,
        preselected: "Deny",
      },
    ],
  });
});

test.each<[QuestionsReply, string]>([
  [answered({ labels: ["Allow"], other: null }), "yes"],
  [answered({ labels: ["Deny"], other: null }), "no"],
  [answered({ labels: ["Allow"], other: "but" }), "no"],
  [answered({ labels: [], other: "Allow" }), "no"],
  [answered({ labels: ["Allow", "Deny"], other: null }), "no"],
  [{ outcome: "answered", rung: "terminal", answers: [] }, "no"],
  [{ outcome: "declined", rung: "terminal" }, "no"],
  [{ outcome: "cancelled", rung: "terminal" }, "no"],
  [{ outcome: "timed_out", rung: "terminal" }, "unavailable"],
  [{ outcome: "pending", rung: "terminal", questionId: "1" }, "pending"],
  [{ outcome: "unavailable" }, "unavailable"],
])("readConsent() of %j is %s", (reply, consent) => {
  expect(readConsent(question, reply)).toBe(consent as never);
});
