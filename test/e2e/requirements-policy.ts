import { from, type Requirement } from "./harness/requirement.ts";

/** What rules, cautions and the audit log promise. */
export const policyRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/policy.md#rules", {
    "policy.deny":
      "What a rule denies is not run, however the command hides it, and the reason says which rule.",
    "policy.change": "A changed file of rules counts without a restart.",
    "policy.project": "A project's rules may tighten; those that allow are ignored and said to be.",
    "policy.broken": "A broken file of rules lets nothing through unasked.",
  }),
  ...from("docs/policy.md#asking", {
    "policy.ask": "What a rule asks about runs when the user agrees, and only then, in both eras.",
    "policy.nobody": "Where nobody can be asked it is not run, and the reason says so.",
  }),
  ...from("docs/policy.md#built-in-cautions", {
    "policy.cautions":
      "Commands that are rarely meant are asked about without any rule; a key switches it off.",
  }),
  ...from("docs/commands.md#what-a-person-has-to-run", {
    "commands.person":
      "What a server has started approves and configures nothing by our commands, however it hides where it comes from.",
  }),
  ...from("docs/policy.md#the-audit-log", {
    "policy.audit": "Each call is a private line with a digest of its arguments and the decision.",
    "policy.audit-tokens":
      "Refused HTTP tokens are in the log, without their text; a flood of them is counted.",
    "policy.audit-off":
      "The log can be switched off, and one that cannot be written fails no call.",
  }),
  ...from("docs/policy.md#trying-rules", {
    "policy.cli": "The command line says what the rules would do, with an exit code for each.",
  }),
};
