import { loadSkill, unknownSkill } from "../../state/skills/load-skill.ts";
import { skillResult } from "../../state/skills/skill-result.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { jsonFlag } from "../json-flag.ts";
import { createSkillLibrary } from "../skill-library.ts";
import { startUp, startUpFlags } from "../start-up.ts";

export const skillsShowCommand: Command = {
  usage: "NAME [ARGUMENTS] [--json] [FLAGS]",
  description: "Prints a skill as a client gets it, with the arguments filled in.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 1, max: 2 },
  async run({ args, io, print }) {
    const start = startUp(args, io, print);
    const workspace = start.cwdFlag ?? io.cwd;
    const [name = "", given = null] = args.positionals;
    const set = await createSkillLibrary(start).find(workspace);
    const skill = set.byName.get(name);
    if (skill === undefined) throw unknownSkill(name, set);
    const loaded = await loadSkill(skill, workspace, given);
    if (args.has("json")) print.json({ ...loaded, frontMatter: skill.frontMatter });
    else print.content(skillResult(loaded));
    return exitCodes.done;
  },
};
