import connectServer from "./connect-server.txt" with { type: "text" };
import createSkill from "./create-skill.txt" with { type: "text" };
import writeHook from "./write-hook.txt" with { type: "text" };

import type { BuiltInName } from "./built-in-cards.ts";

/** The SKILL.md of each skill that is part of the program. */
export const builtInTexts: Readonly<Record<BuiltInName, string>> = {
  "connect-server": connectServer,
  "create-skill": createSkill,
  "write-hook": writeHook,
};
