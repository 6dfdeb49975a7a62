import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of long commands and long outputs. */
export const outputRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/commands-and-processes.md#how-a-command-runs", {
    "bash.syntax": "A syntax error shows the command as it was given, with its own line numbers.",
    "bash.leftovers": "A result says what was still running at the end of a command and was ended.",
  }),
  ...from("docs/commands-and-processes.md#background-tasks", {
    "background.long-command":
      "A command of any length has its task; it is shown cut, and whole in the task's resource.",
  }),
  ...from("docs/commands-and-processes.md#what-survives-what", {
    "start.fresh-homes": "Processes that start together in a new home share it without a word.",
  }),
};
