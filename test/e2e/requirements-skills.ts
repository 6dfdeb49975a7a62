import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of skills and prompts. */
export const skillRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/skills.md#where-skills-are-found", {
    "skills.found":
      "Skills of the workspace, of the user and of the program are listed in the description of InvokeSkill and can be loaded.",
    "skills.hostile-names": "Names and links lead to no file outside of the skill folders.",
  }),
  ...from("docs/skills.md#lists", {
    "skills.budget":
      "With 500 skills the description keeps within its budget and is the same bytes in every process.",
    "skills.changes":
      "A client is told when its skills have changed, and what it lists then is new.",
  }),
  ...from("docs/skills.md#loading", {
    "skills.arguments": "Arguments are put in as text and never evaluated.",
    "skills.as-written":
      "Without arguments a skill arrives as written; with them `$1` in the code of a skill that takes `$ARGUMENTS` stays.",
    "skills.unknown": "An unknown name is answered with the names near it.",
    "skills.required":
      "Until the skills of required_skills.txt are loaded each result ends with a line that names them.",
    "skills.switch": "SKILL_<NAME>=0 hides a skill everywhere.",
  }),
  ...from("docs/skills.md#prompts-and-resources", {
    "skills.prompts": "Each skill that a user may start is a prompt; `plan` and `tasks` are too.",
    "skills.resources": "The files of a skill are resources, and those of no other folder.",
    "skills.extension": "Modern clients list skills, get one and read their folders.",
    "skills.sdk-clients": "The official SDK clients list and get prompts.",
  }),
};
