import type { Skill } from "../../state/skills/skill.ts";
import type { SkillSet } from "../../state/skills/skill-library.ts";
import { skillToolDescription } from "../../state/skills/list-for-model.ts";
import type { Change } from "../changes.ts";
import { skillPromptListing } from "./skill-prompt-listing.ts";
import { skillUri } from "./skill-uri.ts";

/** What a client that saw `before` has to be told when it would now see `after`; whose it is the caller knows. */
export function skillChanges(before: SkillSet, after: SkillSet): Change[] {
  const differs = (view: (set: SkillSet) => unknown): boolean =>
    JSON.stringify(view(before)) !== JSON.stringify(view(after));
  const changes: Change[] = [];
  if (differs(({ skills }) => skillToolDescription(skills))) {
    changes.push({ kind: "tools" });
  }
  if (differs(({ skills }) => skills.filter((skill) => skill.isForUser).map(skillPromptListing))) {
    changes.push({ kind: "prompts" });
  }
  if (differs(({ skills }) => skills.map(({ name, description }) => [name, description]))) {
    changes.push({ kind: "resources" });
  }
  for (const name of changedNames(before, after)) {
    changes.push({ kind: "resource", uri: skillUri(name) });
  }
  return changes;
}

/** Skills that have come, gone, or been written anew. */
function changedNames(before: SkillSet, after: SkillSet): Iterable<string> {
  const names = new Set([...before.byName.keys(), ...after.byName.keys()]);
  const isSame = (a: Skill | undefined, b: Skill | undefined): boolean => a === b;
  return [...names].filter((name) => !isSame(before.byName.get(name), after.byName.get(name)));
}
