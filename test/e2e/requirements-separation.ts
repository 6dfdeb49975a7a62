import { from, type Requirement } from "./harness/requirement.ts";

/** What keeps the people who use one server apart, and the server from them. */
export const separationRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/http.md#secrets-of-the-server", {
    "team.secrets": "Secrets of the start are in no environment that a command can read.",
  }),
  ...from("docs/teams.md#commands-of-many-people", {
    "team.apart":
      "A principal finds nothing of another and of the server, whatever tool it looks with.",
    "team.workspace": "A principal has a workspace and a home of its own, whatever roots it names.",
    "team.tools":
      "ReadImage, PlanMode and skills read nothing that the principal's commands do not see.",
    "team.withheld":
      "Where commands cannot be kept apart the tools for them are not offered, and the start says why.",
    "team.trusted": "`commands = trusted` offers them as to one person, and the start says so.",
    "team.one": "For one principal nothing changes.",
    "team.growth": "The second principal is answered when what the first one runs has ended.",
    "team.limits": "A fork bomb of one principal leaves the server and the others room.",
  }),
  ...from("docs/teams.md#the-network-of-commands", {
    "team.network": "Commands of several principals have no network unless it is switched on.",
  }),
  ...from("docs/http.md#what-principals-share", {
    "team.cache": "No principal finds pages that another has fetched, unless `share_cache` is set.",
  }),
};
