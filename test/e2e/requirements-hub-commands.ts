import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to people who look at the hub, or end it. */
export const hubCommandRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/hub.md#see-it", {
    "hub.commands":
      "hub status shows the clients and servers of a hub and keeps none alive; hub stop ends it, and the clients go on.",
    "hub.metrics": "/metrics of a server over HTTP has the figures of the hub that it uses.",
  }),
  ...from("docs/hub.md#who-may-use-it", {
    "hub.persons": "A command of a server can neither look at the hub nor end it.",
  }),
};
