import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised where several replicas serve as one. */
export const fleetRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/spec/fleet.md#fl2", {
    "fleet.sessions": "A legacy session is served, resumed and ended by every replica.",
  }),
  ...from("docs/spec/fleet.md#fl3", {
    "fleet.places": "Commands and background tasks are reached from every replica.",
    "fleet.lost":
      "Tasks of a replica that is gone are lost and say so; callbacks and waiting lines go on at another one.",
    "fleet.fence":
      "A replica that cannot renew its lease ends its commands before others take them for lost.",
    "fleet.leave": "A replica that ends by SIGTERM hands its users over without an error.",
  }),
  ...from("docs/fleet.md#durable-state-in-postgresql", {
    "fleet.store":
      "With STORE_URL all replicas have the same tasks and plan mode, and the command line too; a URL that is not understood is refused.",
  }),
  ...from("docs/fleet.md#tokens", {
    "fleet.tokens":
      "A token that is made once is accepted by all replicas, and refused by all after it is revoked.",
  }),
  ...from("docs/fleet.md#faults", {
    "fleet.store-away":
      "While PostgreSQL is away TaskManager fails by its name, commands go on, and all is back with it.",
  }),
  ...from("docs/fleet.md#answers-of-people", {
    "fleet.answer-once":
      "The state of a call that a person has answered is used once, whichever process gets it.",
  }),
};
