import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of long commands and long outputs. */
export const outputRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/commands-and-processes.md#how-a-command-runs", {
    "bash.syntax": "A syntax error shows the command as it was given, with its own line numbers.",
    "commands.processes":
      "Commands that take all the processes they can get leave the server enough to go on.",
    "commands.descriptors": "Commands begin with 4,096 descriptors and may ask for more.",
    "bash.leftovers": "A result says what was still running at the end of a command and was ended.",
  }),
  ...from("docs/commands-and-processes.md#background-tasks", {
    "background.long-command":
      "A command of any length has its task; it is shown cut, and whole in the task's resource.",
  }),
  ...from("docs/output.md#what-was-left-out", {
    "output.link": "The link of a long output is read with its client, whole and in pages.",
    "output.task": "What was left out of a result is read on by its `task_id`, byte for byte.",
    "output.upstream": "So is a result of another server.",
    "output.owner": "Nobody but the client whose result was cut reads it.",
  }),
  ...from("docs/output.md#saved-files", {
    "output.reserve":
      "Saving leaves a part of the disk free; the note says so, and the call succeeds.",
  }),
  ...from("docs/output.md#background-tasks", {
    "output.until": "`until` without `wait_ms` waits as long as the client does.",
  }),
  ...from("docs/commands-and-processes.md#what-survives-what", {
    "start.fresh-homes": "Processes that start together in a new home share it without a word.",
  }),
};
