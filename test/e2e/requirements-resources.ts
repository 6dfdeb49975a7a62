import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients that use resources, and to those that listen to changes. */
export const resourceRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/protocol.md#resources", {
    "resources.background": "A background task is a resource: its state and its output.",
    "resources.owner": "Background tasks are there for their client, and for no other.",
    "resources.saved": "A saved output is a resource, in later processes too.",
  }),
  ...from("2026-07-28/server/resources", {
    "resources.declared": "Resources are declared and have the fields of the revision, no others.",
    "resources.unknown": "What is not there is an error of the revision; no path leads out.",
    "resources.pages": "A cursor that was not given out is -32602.",
  }),
  ...from("docs/protocol.md#resources", {
    "clients.resources": "The official SDKs list, read and watch resources.",
  }),
  ...from("2025-11-25/server/resources", {
    "resources.subscribe":
      "A session that subscribed is told of output and end, and no more after it unsubscribed.",
    "resources.list-changed": "A session is told of new background tasks.",
  }),
  ...from("2026-07-28/basic/patterns/subscriptions", {
    "listen.acknowledged": "The acknowledgement comes first and says what is honoured.",
    "listen.updates":
      "Notifications carry the id of their subscription, with its type, and are of what was asked for.",
    "listen.server-ends": "A server that goes ends each subscription with its result.",
    "listen.client-ends": "After the client ended a subscription nothing more is said of it.",
  }),
};
