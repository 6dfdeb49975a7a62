import { from, type Requirement } from "./harness/requirement.ts";

/** What TaskManager and its store promise. */
export const taskManagerRequirements: Readonly<Record<string, Requirement>> = {
  ...from("docs/tasks.md#what-it-does", {
    "taskmanager.kept": "Tasks survive a restart and are those of the workspace, for every server.",
    "taskmanager.transfer": "Tasks go out as JSON and come in again from the command line.",
  }),
  ...from("docs/tasks.md#what-survives-what", {
    "taskmanager.kill-9": "No acknowledged change is lost when the server is killed.",
    "taskmanager.together":
      "Many servers write at once: every change is kept, ids are given out once.",
    "taskmanager.damaged": "A damaged file is kept aside, which the reply says, and work goes on.",
    "taskmanager.refused": "A disk that refuses is named, and the next call tries again.",
    "taskmanager.private": "No file of the store can be read by others.",
  }),
  ...from("docs/tasks.md#as-a-resource", {
    "taskmanager.resource":
      "The tasks are a resource, whose subscribers are told of changes of every process.",
  }),
};
