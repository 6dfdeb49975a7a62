import { toolsOf } from "./messages.ts";
import type { ServerMessage } from "./server.ts";
import type { TempFolder } from "./temp-folder.ts";

type Params = Readonly<Record<string, unknown>>;

export const review =
  "---\nname: review\ndescription: Reviews a change.\nargument-hint: '[quick|thorough]'\n---\nReview $1, all: $ARGUMENTS.\n";

/** A home with skills of the user, and a workspace with one of the project. */
export function makeSkills(home: TempFolder): string {
  home.write("work/.claude/skills/review/SKILL.md", review);
  home.write("work/.claude/skills/review/references/tone.md", "# Tone\n");
  home.write(".claude/skills/own/SKILL.md", "---\nname: own\ndescription: My own.\n---\nMine.\n");
  home.write(
    ".scorpiox/skills/quiet/SKILL.md",
    "---\nname: quiet\ndescription: For the model.\nuser-invocable: false\n---\nQuiet.\n",
  );
  home.write(
    ".scorpiox/skills/loud/SKILL.md",
    "---\nname: loud\ndescription: For the user.\ndisable-model-invocation: true\n---\nLoud.\n",
  );
  return home.at("work");
}

/** The description of InvokeSkill. */
export const listOf = (message: ServerMessage): string =>
  String(toolsOf(message).find((tool) => tool["name"] === "InvokeSkill")?.["description"]);

/** The names in it. */
export const namesIn = (description: string): string[] =>
  [...description.matchAll(/^- ([^\s:]+)/gm)].map(([, name = ""]) => name);

export const invoke = (skill: string, args?: string): Params => ({
  name: "InvokeSkill",
  arguments: { skill_name: skill, ...(args === undefined ? {} : { arguments: args }) },
});

export const namesOf = (message: ServerMessage, key: string): string[] =>
  ((message.result?.[key] ?? []) as { name: string }[]).map(({ name }) => name);
