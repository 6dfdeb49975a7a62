import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of background tasks that outlive their client. */
export const keptRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/hub.md", {
    "kept.outlives":
      "A task with `keep: true` goes on when its client is killed; the next client of the workspace has it, and each byte of its output once.",
    "kept.hub-death":
      "When the hub is killed, kept tasks go on, and the next hub takes them over with their exit code.",
    "kept.refused":
      "With BG_PERSIST=0, with HUB=off and over HTTP no task is kept, and the answer says why; BG_PERSIST=1 keeps all.",
    "kept.sandbox":
      "A confined kept task is confined as long as it runs, and leaves nothing of its sandbox.",
    "kept.hooks":
      "When a task ends after its client, the hub runs the hooks of `background`: yours and approved ones of the project.",
    "kept.workspace": "A client of another workspace has none of its tasks.",
  }),
};
