/** What `resources/templates/list` says of skills. */
export const skillTemplates = [
  {
    uriTemplate: "skill://{name}/{+path}",
    name: "skill-file",
    title: "File of a skill",
    description: "SKILL.md or another file of a skill.",
  },
] as const;
