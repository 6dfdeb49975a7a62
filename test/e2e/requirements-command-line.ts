import { from, type Requirement } from "./harness/requirement.ts";

/** Promises of the command line to the people and scripts that use it. */
export const commandLineRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/reference/states.md#old-words", {
    "commands.old-words": "Words of other programs and older versions do what the present ones do.",
  }),
  ...from("docs/reference/states.md#marks", {
    "commands.colours":
      "Only terminals get colours, unless NO_COLOR or FORCE_COLOR says otherwise; JSON never has any.",
    "commands.progress":
      "Long work shows on a terminal that it goes on, and leaves nothing behind; elsewhere it stays silent for some seconds.",
  }),
  ...from("docs/commands.md#completions", {
    "commands.completions":
      "bash, zsh, fish and nushell complete commands, flags, values and names of this machine.",
  }),
  ...from("docs/commands.md#more-about-one-run", {
    "commands.verbose":
      "--verbose adds facts to stderr, without secrets, and changes no data on stdout.",
  }),
};
