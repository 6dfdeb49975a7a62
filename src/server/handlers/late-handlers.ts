import { handleListen } from "./listen.ts";
import { handleCompletionComplete, handlePromptsGet, handlePromptsList } from "./prompts.ts";
import {
  handleResourcesDirectoryRead,
  handleResourcesList,
  handleResourcesRead,
  handleResourcesSubscribe,
  handleResourcesUnsubscribe,
  handleResourceTemplatesList,
  handleSkillsGet,
  handleSkillsList,
} from "./resources.ts";
import { callAsTask, handleTasksCancel, handleTasksGet, handleTasksUpdate } from "./mcp-tasks.ts";

/** Handlers by method, and calls as MCP tasks: one chunk of the program that no first answer needs. */
export const lateHandlers = {
  callAsTask,
  "completion/complete": handleCompletionComplete,
  "prompts/get": handlePromptsGet,
  "prompts/list": handlePromptsList,
  "resources/directory/read": handleResourcesDirectoryRead,
  "resources/list": handleResourcesList,
  "resources/read": handleResourcesRead,
  "resources/subscribe": handleResourcesSubscribe,
  "resources/templates/list": handleResourceTemplatesList,
  "resources/unsubscribe": handleResourcesUnsubscribe,
  "skills/get": handleSkillsGet,
  "skills/list": handleSkillsList,
  "subscriptions/listen": handleListen,
  "tasks/cancel": handleTasksCancel,
  "tasks/get": handleTasksGet,
  "tasks/update": handleTasksUpdate,
} as const;

export type LateMethod = Exclude<keyof typeof lateHandlers, "callAsTask">;
