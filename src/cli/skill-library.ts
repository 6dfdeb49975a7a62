import { SkillLibrary } from "../state/skills/skill-library.ts";
import type { StartUp } from "./start-up.ts";

/** The skills that a start finds. */
export function createSkillLibrary({ dirs, config }: StartUp): SkillLibrary {
  const { skills } = config.settings;
  const { homeDir, scorpioxDir } = dirs;
  return new SkillLibrary({
    homeDir,
    scorpioxDir,
    additional: skills.additional,
    isEnabled: (name) => skills.isEnabled(name),
  });
}
