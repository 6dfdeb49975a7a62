import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients that can be asked. */
export const askRequirements: Readonly<Record<string, Requirement>> = {
  ...from("2025-11-25/client/elicitation", {
    "ask.session":
      "In a session a tool asks by requests of the server, whatever the id of its call.",
    "ask.declared": "Nothing is asked that the client did not declare, and a tool can tell before.",
    "ask.malformed": "An answer of the wrong type is never accepted.",
    "ask.cancelled": "A cancelled call takes its question back.",
    "ask.once": "A call that starts over in another Worker does not ask again.",
  }),
  ...from("2026-07-28/basic/patterns/mrtr", {
    "ask.rounds": "Without a session a call ends with its questions and goes on with the answers.",
    "ask.missing": "What is missing or malformed is asked again, alone; unknown keys are ignored.",
    "ask.state":
      "A state that was changed, or is of another request, is refused before anything is done.",
    "ask.first": "A tool that has done something before it asks is refused the round.",
    "ask.restart": "Answers are taken by the next process of the same user.",
  }),
  ...from("2026-07-28/client/elicitation", {
    "ask.sdk-v1": "The official SDK v1 is asked over stdio and HTTP.",
    "ask.sdk-v2": "The official SDK v2 is asked over stdio and HTTP, in both eras.",
  }),
};
