import * as z from "zod/mini";

import { builtInCards } from "../state/skills/built-in/built-in-cards.ts";
import { skillToolDescription } from "../state/skills/list-for-model.ts";
import { defineTool } from "./tool.ts";

const input = z.strictObject({
  skill_name: z.string().check(z.describe("Name of the skill, as listed above")),
  arguments: z.optional(
    z.string().check(z.describe("Text for $ARGUMENTS and $1 to $9 in the skill")),
  ),
});

const output = z.object({
  name: z.string(),
  folder: z.nullable(z.string()),
  files: z.array(z.string()),
});

export const invokeSkill = defineTool({
  name: "InvokeSkill",
  title: "Load a skill",
  // The list sent to a client also has the skills of its workspace and its user.
  description: skillToolDescription(
    builtInCards.map((card) => ({ ...card, origin: "built-in", isForModel: true })),
  ),
  input,
  output,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ skill_name: name, arguments: given = null }, { skills }) {
    const { text, folder, files, ...skill } = await skills.load({ name, arguments: given });
    return { text, structured: { name: skill.name, folder, files: [...files] } };
  },
});
