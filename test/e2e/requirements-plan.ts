import { from, type Requirement } from "./harness/requirement.ts";

/** What plan mode promises. */
export const planRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/plan-mode.md#how-it-goes", {
    "plan.enter": "PlanMode enter makes a plan file with the goal in the workspace.",
    "plan.approve": "PlanMode exit asks the user where that is possible, in both eras.",
    "plan.other": "The user answers the plan in their own words, by form, terminal and page.",
    "plan.refused": "A plan that is not approved leaves plan mode active.",
  }),
  ...from("docs/plan-mode.md#tools-of-other-servers", {
    "plan.upstream":
      "In plan mode tools of other servers are refused that are not approved as reading ones or allowed by the user's entry.",
  }),
  ...from("docs/plan-mode.md#where-it-is-kept", {
    "plan.kept": "Plan mode survives a restart and counts for a second server of the workspace.",
    "plan.contained": "A plan file outside of the workspace is neither read nor written.",
    "plan.resource": "The plan is a resource, whose subscribers are told of changes.",
  }),
};
