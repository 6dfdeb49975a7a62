import { askUserQuestion } from "./ask-user-question.ts";
import { backgroundBash } from "./background-bash.ts";
import { bash } from "./bash.ts";
import { invokeSkill } from "./invoke-skill.ts";
import { killBgTask } from "./kill-bg-task.ts";
import { listBgTasks } from "./list-bg-tasks.ts";
import { planMode } from "./plan-mode.ts";
import { readBgOutput } from "./read-bg-output.ts";
import { readDocs } from "./read-docs.ts";
import { readImage } from "./read-image.ts";
import { setCallback } from "./set-callback.ts";
import { taskManager } from "./task-manager.ts";
import type { AnyTool } from "./tool.ts";
import { webSearch } from "./web-search.ts";

/** scorpiox-code's own tools, in the order in which they are listed. A new tool is one more line here. */
export const catalogue: readonly AnyTool[] = [
  bash,
  readImage,
  readDocs,
  webSearch,
  taskManager,
  planMode,
  askUserQuestion,
  invokeSkill,
  backgroundBash,
  readBgOutput,
  listBgTasks,
  killBgTask,
  setCallback,
];
