import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { redSquare } from "./forms.ts";
import type { ScriptedCall } from "./model-endpoint.ts";

/** Calls of the product's own tools that every client's model makes. */
export const productCalls: readonly ScriptedCall[] = [
  { tool: "Bash", args: { command: "echo one; echo two >&2" } },
  { tool: "Bash", args: { command: "echo no; exit 3" } },
  { tool: "Bash", args: { command: "seq 1 20000" } },
  { tool: "ReadImage", args: { file_path: "red.png" } },
  { tool: "TaskManager", args: { action: "create", query: "", text: "Ship it" } },
  { tool: "TaskManager", args: { action: "add", query: "", text: "Write the notes" } },
  { tool: "TaskManager", args: { action: "list", query: "" } },
  { tool: "TaskManager", args: { action: "complete", query: "", task_id: 99 } },
  { tool: "PlanMode", args: { action: "status" } },
  { tool: "InvokeSkill", args: { skill_name: "notes", arguments: "a.md" } },
  { tool: "InvokeSkill", args: { skill_name: "none-of-that-name" } },
  { tool: "SetCallback", args: { action: "list" } },
  { tool: "BackgroundBash", args: { command: "echo started; sleep 60" } },
  { tool: "ListBgTasks", args: {} },
  { tool: "KillBgTask", args: { task_id: 1 } },
  { tool: "KillBgTask", args: { task_id: 77 } },
];

/** The files that these calls need. */
export function prepareWork(work: string): void {
  const skill = join(work, ".claude/skills/notes");
  mkdirSync(skill, { recursive: true });
  const text = "---\nname: notes\ndescription: Reads notes.\n---\nRead $1.\n";
  writeFileSync(join(skill, "SKILL.md"), text);
  writeFileSync(join(work, "red.png"), Buffer.from(redSquare, "base64"));
}
