/** The list entries of the skills that are part of the program; a test compares them with their front matter. */
export const builtInCards = [
  {
    name: "connect-server",
    description:
      "Connects an AI client to scorpiox-code over stdio or HTTP, and sets its options. Use it when the user wants to add, move or repair that connection.",
  },
  {
    name: "create-skill",
    description:
      "Writes a new skill (SKILL.md with front matter) or repairs one that is not found. Use it when the user wants to save a way of working for later.",
  },
  {
    name: "write-hook",
    description:
      "Writes a hook: a script that runs at tool calls or when a session begins, and may veto a call. Use it when the user wants something checked or logged automatically.",
  },
] as const;

export type BuiltInName = (typeof builtInCards)[number]["name"];
