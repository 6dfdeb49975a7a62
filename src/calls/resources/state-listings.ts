import type { ResourceListing } from "../../protocol/resource-types.ts";

/** The callbacks of the client that reads. */
export const callbacksListing = {
  uri: "scorpiox://callbacks",
  name: "callbacks",
  title: "Callbacks",
  description: "Reminders that this client has set with SetCallback.",
  mimeType: "text/plain",
} as const satisfies ResourceListing;

/** Plan mode in the workspace of the client that reads. */
export const planListing = {
  uri: "scorpiox://plan",
  name: "plan",
  title: "Plan",
  description: "Whether plan mode is active in this workspace, and its plan.",
  mimeType: "application/json",
} as const satisfies ResourceListing;

/** The tasks of the workspace of the client that reads. */
export const tasksListing = {
  uri: "scorpiox://tasks",
  name: "tasks",
  title: "Tasks",
  description: "The tasks of this workspace with their steps, as TaskManager keeps them.",
  mimeType: "application/json",
} as const satisfies ResourceListing;

/** Resources that are always there, known before anything behind them is made; `StateResource` has their texts. */
export const stateListings: readonly ResourceListing[] = [
  tasksListing,
  planListing,
  callbacksListing,
];

export function isStateUri(uri: string): boolean {
  return stateListings.some((listing) => listing.uri === uri);
}
