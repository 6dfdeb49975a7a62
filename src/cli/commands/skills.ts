import { oneLine } from "../../base/cut-text.ts";
import { loadSkill, skillResult, unknownSkill } from "../../state/skills/load-skill.ts";
import type { SkillSet } from "../../state/skills/skill-library.ts";
import { type Skill, visibleLine } from "../../state/skills/skill.ts";
import { columns, exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { createSkillLibrary } from "../skill-library.ts";
import { startUp } from "../start-up.ts";

/** Length of a description on a line beside the name. */
const descriptionCharsMax = 90;

export const skillsListCommand: Command = {
  usage: "[--json] [FLAGS]",
  description:
    "Lists the skills that clients are offered in this directory, then the problems of those that are skipped or incomplete.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print }) {
    const start = startUp(args, io, print);
    const set = await createSkillLibrary(start).find(start.cwdFlag ?? io.cwd);
    if (args.has("json")) {
      print.json(describe(set));
      return exitCodes.done;
    }
    if (set.skills.length > 0) print.line(columns(set.skills.map(rowOf)).join("\n"));
    // Names of folders are other people's text, and may have line ends in them.
    for (const { place, text } of remarksOn(set)) print.note(oneLine(`${place}: ${text}`, 4_096));
    return exitCodes.done;
  },
};

function rowOf({ name, description, origin }: Skill): [string, string] {
  return [name, `[${origin}] ${visibleLine(description, descriptionCharsMax)}`];
}

function placeOf({ name, folder }: Skill): string {
  return folder ?? `${name} (built in)`;
}

function remarksOn({ skills, unused, problems }: SkillSet): { place: string; text: string }[] {
  return [
    ...skills.flatMap((skill) =>
      skill.problems.map((text) => ({ place: placeOf(skill), text: `${text}.` })),
    ),
    ...unused.map(({ skill, reason }) => ({ place: placeOf(skill), text: unusedText[reason] })),
    ...problems.map(({ path, reason }) => ({ place: path, text: `not used: ${reason}.` })),
  ];
}

const unusedText = {
  shadowed: "not used: another skill of this name has priority.",
  hidden: "not used: its SKILL_… key switches it off.",
} as const;

function describe({ skills, unused, problems }: SkillSet): unknown {
  return {
    skills: skills.map(facts),
    unused: unused.map(({ skill, reason }) => ({ ...facts(skill), reason })),
    problems,
  };
}

function facts({
  name,
  description,
  origin,
  folder,
  isForModel,
  isForUser,
  problems,
}: Skill): object {
  return { name, description, origin, folder, isForModel, isForUser, problems };
}

export const skillsGetCommand: Command = {
  usage: "NAME [ARGUMENTS] [--json] [FLAGS]",
  description: "Prints a skill as a client gets it, with the arguments filled in.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 1, max: 2 },
  needsPerson: false,
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
