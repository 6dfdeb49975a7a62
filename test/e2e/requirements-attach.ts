import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to people who attach a terminal. */
export const attachRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/attach.md#questions", {
    "attach.answer": "A question is answered in an attached terminal: by choices and in own words.",
    "attach.refuse": "A question is declined or cancelled there, and the client is told which.",
    "attach.first": "The first terminal that answers wins; in the others the question goes.",
    "attach.gone": "A question that nobody waits for any more goes from the terminal.",
  }),
  ...from("docs/attach.md#background-tasks", {
    "attach.output":
      "The output of a background task is shown while it grows; the task can be ended.",
  }),
  ...from("docs/attach.md#servers", {
    "attach.servers": "Several servers are shown at once, and one that is killed goes.",
    "attach.private":
      "Nobody but the user reaches the socket; it is gone when the server has ended.",
    "attach.person":
      "What a server has started, or has no terminal, answers no question, however it hides where it comes from.",
    "attach.read-only": "A home that cannot be written costs one warning and the socket.",
    "attach.lists": "Lists of tasks and callbacks are those of the running servers.",
  }),
  ...from("docs/attach.md#the-terminal", {
    "attach.restore": "However it ends, the terminal is as it was before.",
    "attach.no-terminal": "Without a terminal that can be drawn on it exits with 2 and says so.",
    "attach.sizes": "It draws in any size, and what is hostile is shown as text.",
  }),
};
