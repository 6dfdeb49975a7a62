import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients of the tasks extension. */
export const taskRequirements: Readonly<Record<string, Requirement>> = {
  ...from("extensions/tasks/overview", {
    "tasks.declared": "The extension is declared in `server/discover`, and only there.",
    "tasks.not-declared": "A request that does not declare the extension gets no MCP task.",
    "tasks.ids": "An unknown id is -32602.",
    "tasks.owner": "An MCP task is there for the client that made it, and for no other.",
    "tasks.request": "Cancelling the request that made an MCP task does not end the task.",
    "tasks.stream":
      "The response to the request ends with the MCP task's making; the task goes on.",
    "tasks.listen": "`subscriptions/listen` tells the states of an MCP task.",
    "tasks.client": "The official tasks client runs calls to their end.",
  }),
  ...from("docs/protocol.md#mcp-tasks", {
    "tasks.bash":
      "Bash becomes an MCP task when its answer is due, and its result is the usual one.",
    "tasks.background": "BackgroundBash is an MCP task until its command ends.",
    "tasks.cancel": "`tasks/cancel` ends all that the command started.",
  }),
};
