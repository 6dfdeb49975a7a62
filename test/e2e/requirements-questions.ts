import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients whose model asks the user. */
export const questionRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/questions.md#where-a-question-is-shown", {
    "questions.form": "The official SDKs are asked by a form, over stdio and HTTP, in both eras.",
    "questions.auto-decline":
      "A client that declines within 300 ms has shown nothing: a page opens.",
    "questions.browser": "A browser that was started for a page is the user's, and stays.",
    "questions.page": "A page is answered, declined and put off.",
    "questions.unavailable": "Where nothing can be shown the questions come back as text.",
    "questions.remote": "No page of this machine opens for a client that may sit elsewhere.",
  }),
  ...from("docs/questions.md#when-nobody-answers-at-once", {
    "questions.pending":
      "At the client's budget the answer is pending; the same asked again fetches it.",
    "questions.task": "A client that takes MCP tasks gets one in the place of pending.",
    "questions.taken-back":
      "A cancelled call takes its question back, from the client and the page.",
  }),
  ...from("docs/questions.md#several-clients", {
    "questions.apart": "The same question of two clients at once are two questions.",
  }),
  ...from("docs/questions.md#what-can-be-asked", {
    "questions.refused": "What is no list of questions is refused with the place and the reason.",
  }),
};
