import type { PromptListing, PromptResult } from "../../protocol/prompt-types.ts";

/** A prompt that leads to one of our tools. */
export interface OwnPrompt {
  readonly toolName: string;
  readonly listing: PromptListing;
  /** What may be written for each argument. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
  text(args: Readonly<Record<string, string>>): string;
}

const planPrompt: OwnPrompt = {
  toolName: "PlanMode",
  listing: {
    name: "plan",
    title: "Plan first",
    description: "Explores and writes a plan for your approval before anything is changed.",
    arguments: [
      { name: "goal", description: "What is to be reached", required: true },
      { name: "depth", description: "quick or thorough; thorough without it", required: false },
    ],
  },
  choices: { depth: ["quick", "thorough"] },
  text: ({ goal = "", depth }) =>
    [
      `Goal: ${goal.trim()}`,
      "",
      "Call PlanMode with action enter and this goal, and follow what it answers: explore, change nothing, write the plan file.",
      depth === "quick"
        ? "Keep it short: the steps in order, what could go wrong, how to check the result."
        : "Name the files to be changed, the steps in order, what was considered and dropped, what could go wrong, and how to check the result.",
      "Then call PlanMode with action exit, so that the user can approve it.",
    ].join("\n"),
};

const tasksPrompt: OwnPrompt = {
  toolName: "TaskManager",
  listing: {
    name: "tasks",
    title: "Go on with the tasks",
    description: "Shows the tasks of this workspace and what is to be done next.",
    arguments: [
      { name: "show", description: "pending or all; pending without it", required: false },
      { name: "words", description: "Only tasks that have these words", required: false },
    ],
  },
  choices: { show: ["pending", "all"] },
  text: ({ show, words = "" }) =>
    [
      `Call TaskManager with action ${show === "all" ? "list" : "pending"} and query ${JSON.stringify(words.trim())}.`,
      "Show me the tasks with their steps, shortly, and say which step you would do next and why.",
      "Then wait for my word. When a step is done, complete it with TaskManager.",
    ].join("\n"),
};

/** The prompts that fit these tools. */
export function ownPromptsFor(toolNames: ReadonlySet<string>): readonly OwnPrompt[] {
  return [planPrompt, tasksPrompt].filter(({ toolName }) => toolNames.has(toolName));
}

/** The answer to `prompts/get` for a text. */
export function promptOf(text: string, description: string | undefined): PromptResult {
  const content = { type: "text", text: text.toWellFormed() } as const;
  return {
    ...(description === undefined ? {} : { description }),
    messages: [{ role: "user", content }],
  };
}
