import * as z from "zod/mini";

import { defineTool } from "./tool.ts";

const input = z.strictObject({
  skill_name: z.string().check(z.describe("Name of the skill, as listed above")),
  arguments: z.optional(
    z.string().check(z.describe("Fills in $ARGUMENTS and $1 to $9 of the skill")),
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
  description:
    "Loads a skill: instructions for a kind of work, to be followed from then on. " +
    "Load one before work that its description fits.",
  input,
  output,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ skill_name: name, arguments: given = null }, { skills }) {
    const { body, folder, files } = await skills.load({ name, arguments: given });
    return { text: body, structured: { name, folder, files: [...files] } };
  },
});
