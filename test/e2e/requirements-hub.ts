import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised of upstream servers that several clients of a user share. */
export const hubRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/hub.md", {
    "hub.one":
      "Clients that start at once in one project have one hub and one process of each upstream server, and nothing of them is left.",
    "hub.not-wanted":
      "Without upstream servers, with HUB=off, in CI, below a server, and for commands no hub is started.",
    "hub.death":
      "When the hub is killed or stopped, each client is answered again, each request once, and no list shrinks.",
    "hub.stays":
      "A client that is killed disturbs no other client; servers go on for those that are left.",
    "hub.fault":
      "Where no hub can be had, a client runs its servers itself, and says why in one line on stderr.",
    "hub.projects":
      'Clients of different projects share a server only where its entry says `isolation = "shared"`.',
    "hub.refused":
      "A command that a server runs reaches the hub by none of 33 ways, sandboxed or not; the hub goes on.",
    "hub.update":
      "A server that only one hub may run starts in the hub of a new version when the old one has none; calls say so until then.",
    "hub.environment": "Clients whose environments differ for a server do not share it.",
  }),
};
