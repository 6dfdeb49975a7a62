import { backgroundBash } from "./background-bash.ts";
import { bash } from "./bash.ts";
import { killBgTask } from "./kill-bg-task.ts";
import { listBgTasks } from "./list-bg-tasks.ts";
import { readBgOutput } from "./read-bg-output.ts";
import { readDocs } from "./read-docs.ts";
import { readImage } from "./read-image.ts";
import type { AnyTool } from "./tool.ts";
import { webSearch } from "./web-search.ts";

/** Our own tools, in the order in which they are listed. A new tool is one more line here. */
export const catalogue: readonly AnyTool[] = [
  bash,
  readImage,
  readDocs,
  webSearch,
  backgroundBash,
  readBgOutput,
  listBgTasks,
  killBgTask,
];
