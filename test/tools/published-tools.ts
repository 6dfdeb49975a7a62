/**
 * The parameters of docs/spec/tools.md#parameters, in the order of the list: `*` = required. A released tool does not change
 * by accident; a new one has its golden file, and gets a row here with its first release.
 */
export const published: readonly (readonly [
  name: string,
  parameters: Readonly<Record<string, string>>,
])[] = [
  ["Bash", { command: "string*", timeout: "integer" }],
  ["ReadImage", { file_path: "string*" }],
  ["ReadDocs", { url: "string*", format: "string", wait_ms: "integer", start: "integer" }],
  ["WebSearch", { query: "string*" }],
  [
    "TaskManager",
    {
      action: "string*",
      query: "string*",
      task_id: "integer",
      step_id: "integer",
      text: "string",
    },
  ],
  ["PlanMode", { action: "string*", goal: "string", plan_file: "string" }],
  ["AskUserQuestion", { questions_json: "string*" }],
  ["InvokeSkill", { skill_name: "string*", arguments: "string" }],
  ["BackgroundBash", { command: "string*", keep: "boolean" }],
  ["ReadBgOutput", { task_id: "integer*", wait_ms: "integer", until: "string", filter: "string" }],
  ["ListBgTasks", {}],
  ["KillBgTask", { task_id: "integer*" }],
  [
    "SetCallback",
    {
      action: "string*",
      message: "string",
      delay_seconds: "integer",
      repeat_count: "integer",
      callback_id: "integer",
    },
  ],
];
