import type { AnyTool } from "./tool.ts";

/** Tools by their names, in the order in which they are listed. A Worker loads each with its first call. */
export type Catalogue = ReadonlyMap<string, () => Promise<AnyTool>>;

/**
 * scorpiox-code's own tools. A new tool is one more line here. Loading all of them, with their schemas, takes a Worker four
 * times as long as starting does.
 */
export const catalogue: Catalogue = new Map<string, () => Promise<AnyTool>>([
  ["Bash", async () => (await import("./bash.ts")).bash],
  ["ReadImage", async () => (await import("./read-image.ts")).readImage],
  ["ReadDocs", async () => (await import("./read-docs.ts")).readDocs],
  ["WebSearch", async () => (await import("./web-search.ts")).webSearch],
  ["TaskManager", async () => (await import("./task-manager.ts")).taskManager],
  ["PlanMode", async () => (await import("./plan-mode.ts")).planMode],
  ["AskUserQuestion", async () => (await import("./ask-user-question.ts")).askUserQuestion],
  ["InvokeSkill", async () => (await import("./invoke-skill.ts")).invokeSkill],
  ["BackgroundBash", async () => (await import("./background-bash.ts")).backgroundBash],
  ["ReadBgOutput", async () => (await import("./read-bg-output.ts")).readBgOutput],
  ["ListBgTasks", async () => (await import("./list-bg-tasks.ts")).listBgTasks],
  ["KillBgTask", async () => (await import("./kill-bg-task.ts")).killBgTask],
  ["SetCallback", async () => (await import("./set-callback.ts")).setCallback],
]);

/** All tools of a catalogue, in its order. */
export async function loadTools(from: Catalogue = catalogue): Promise<readonly AnyTool[]> {
  return Promise.all([...from.values()].map((load) => load()));
}
