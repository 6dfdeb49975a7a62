/** The tool that loads skills: who may not use it, or where it is switched off, there are none. */
export const skillToolName = "InvokeSkill";
