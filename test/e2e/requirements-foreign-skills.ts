import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of skills of other servers. */
export const foreignSkillRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/skills.md#skills-of-other-servers", {
    "skills.foreign":
      "Skills of other servers are listed after ours, read when they are wanted, and never take a name of ours.",
    "skills.verified": "A file of such a skill that is not the one that was listed is not used.",
    "skills.pinned": "Such a skill that has changed since it was first seen waits for approval.",
  }),
};
