import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to those who write hooks. */
export const hookRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/hooks.md#where-they-are", {
    "hooks.order":
      "Sync hooks run first, in order, the user's before the project's; then the rest.",
    "hooks.refused": "A guard of the user that may not be run stops what it guards.",
    "hooks.none": "Without hooks nothing is made and nothing runs.",
  }),
  ...from("docs/hooks.md#events", {
    "hooks.session": "A session has a start before its first call, and an end.",
    "hooks.events": "What happens to background tasks is told.",
  }),
  ...from("docs/hooks.md#stopping-a-call", {
    "hooks.veto": "A sync hook stops a call, and its output is the reason.",
    "hooks.json": "A hook denies, has the user asked, changes arguments and results by JSON.",
    "hooks.rounds": "A call that asks is one call: its hooks run once.",
    "hooks.cancel": "A cancelled call ends its hooks.",
  }),
  ...from("docs/hooks.md#project-hooks", {
    "hooks.approval": "A project's hook runs after approval, and not any more when it was changed.",
  }),
  ...from("docs/hooks.md#time-and-limits", {
    "hooks.timeout":
      "A hook that never ends is ended with all that it started, and stops the call.",
    "hooks.many": "Hundreds of hooks that flood neither delay calls nor grow the server.",
    "hooks.exit": "The server ends within 2 s whatever its hooks do.",
    "hooks.off": "HOOKS_ENABLED switches all hooks off; a project has no say in it.",
  }),
  ...from("docs/hooks.md#what-a-hook-gets", {
    "hooks.depth": "A hook that calls a tool starts hooks three deep and no deeper.",
  }),
};
