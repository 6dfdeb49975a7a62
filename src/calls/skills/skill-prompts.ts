import { AppError } from "../../base/errors.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { PromptListing, PromptResult } from "../../protocol/prompts.ts";
import { loadSkill, skillResult, unknownSkill } from "../../state/skills/load-skill.ts";
import { placeOf } from "../../state/skills/open-skill.ts";
import { listSkillFiles } from "../../state/skills/skill-files.ts";
import { compareNames, type Skill } from "../../state/skills/skill.ts";
import { FaultError } from "../ask-client.ts";
import type { ClientContext, RequestContext } from "../call.ts";
import type { CompletionProvider, CompletionRequest, PromptProvider } from "../features.ts";
import {
  shownDescription,
  skillArgumentName,
  skillPromptListing,
  skillTemplates,
} from "./skill-uri.ts";
import type { SkillView } from "./skill-view.ts";

export interface SkillPromptsParts {
  readonly view: SkillView;
  readonly own: readonly OwnPrompt[];
  /** Called with each skill that a client has got. */
  readonly onLoaded: (clientId: string, skillName: string) => void;
}

/** One prompt for each skill that a user may start, and the built-in ones; a skill replaces a built-in one of its name. */
export class SkillPrompts implements PromptProvider {
  readonly #parts: SkillPromptsParts;

  constructor(parts: SkillPromptsParts) {
    this.#parts = parts;
  }

  async list(client: ClientContext): Promise<readonly PromptListing[]> {
    const { set } = await this.#parts.view.forList(client);
    const skills = set.skills.filter(({ isForUser }) => isForUser).map(skillPromptListing);
    const taken = new Set(skills.map(({ name }) => name));
    const own = this.#ownFor(client).map(({ listing }) => listing);
    return [...skills, ...own.filter(({ name }) => !taken.has(name))].sort((a, b) =>
      compareNames(a.name, b.name),
    );
  }

  async get(
    name: string,
    args: Readonly<Record<string, string>>,
    { client }: RequestContext,
  ): Promise<PromptResult> {
    const { set, workspace } = await this.#parts.view.forUse(client);
    const skill = set.byName.get(name);
    if (skill?.isForUser === true) {
      const given = args[skillArgumentName] ?? null;
      const loaded = await loadSkill(skill, workspace, given).catch(rejectAsFault);
      this.#parts.onLoaded(client.id, name);
      return promptOf(skillResult(loaded), shownDescription(skill) || undefined);
    }
    const own = this.#ownFor(client).find(({ listing }) => listing.name === name);
    if (own === undefined) return rejectAsFault(unknownSkill(name, set));
    return promptOf(own.text(args), own.listing.description);
  }

  /** The values that complete an argument of a prompt; undefined when there is no such prompt. */
  async complete(
    name: string,
    { argumentName, typed }: CompletionRequest,
    client: ClientContext,
  ): Promise<readonly string[] | undefined> {
    const { set } = await this.#parts.view.forUse(client);
    const skill = set.byName.get(name);
    if (skill?.isForUser === true) {
      return argumentName === skillArgumentName ? matching(hintedWords(skill), typed) : [];
    }
    const own = this.#ownFor(client).find(({ listing }) => listing.name === name);
    if (own === undefined) return undefined;
    const { choices } = own;
    return matching(
      Object.hasOwn(choices, argumentName) ? (choices[argumentName] ?? []) : [],
      typed,
    );
  }

  #ownFor({ mayUse }: ClientContext): readonly OwnPrompt[] {
    return this.#parts.own.filter(({ toolName }) => mayUse?.(toolName) !== false);
  }
}

/** A skill that cannot be loaded is a wrong parameter, not a fault of the server. @throws FaultError or the error itself */
function rejectAsFault(error: unknown): never {
  if (!(error instanceof AppError) || error.code === "system") throw error;
  throw new FaultError(createFault(errorCodes.invalidParams, error.message));
}

/** The values that begin with the typed text, else those that contain it. */
function matching(values: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const rest = values.filter((value) => !value.toLowerCase().startsWith(wanted));
  return [
    ...values.filter((value) => value.toLowerCase().startsWith(wanted)),
    ...rest.filter((value) => value.toLowerCase().includes(wanted)),
  ];
}

/** `argument-hint: [fast|thorough]` names the possible values. */
function hintedWords({ argumentHint }: Skill): readonly string[] {
  const choices = argumentHint?.match(/[\w.-]+(?:\\?\|[\w.-]+)+/g) ?? [];
  return [...new Set(choices.flatMap((choice) => choice.split(/\\?\|/)))];
}

/** A prompt that leads to one of our tools. */
interface OwnPrompt {
  readonly toolName: string;
  readonly listing: PromptListing;
  /** The possible values of each argument. */
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
      { name: "goal", description: "The goal to reach", required: true },
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
    description: "Shows the tasks of this workspace and the next thing to do.",
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
function promptOf(text: string, description: string | undefined): PromptResult {
  const content = { type: "text", text: text.toWellFormed() } as const;
  return {
    ...(description === undefined ? {} : { description }),
    messages: [{ role: "user", content }],
  };
}

/** Completes arguments of prompts, and the name and the path of a skill's file. */
export class SkillCompletion implements CompletionProvider {
  readonly #view: SkillView;
  readonly #prompts: SkillPrompts;

  constructor(view: SkillView, prompts: SkillPrompts) {
    this.#view = view;
    this.#prompts = prompts;
  }

  async complete(
    request: CompletionRequest,
    client: ClientContext,
  ): Promise<readonly string[] | undefined> {
    const { ref, argumentName, typed, others } = request;
    if (ref.kind === "prompt") return this.#prompts.complete(ref.name, request, client);
    const template = skillTemplates.find(({ uriTemplate }) => uriTemplate === ref.uriTemplate);
    if (template === undefined) return undefined;
    const { set } = await this.#view.forUse(client);
    if (argumentName === "name")
      return matching(
        set.skills.map(({ name }) => name),
        typed,
      );
    if (argumentName !== "path") return [];
    return matching(await this.#filesOf(others["name"] ?? "", client), typed);
  }

  async #filesOf(name: string, client: ClientContext): Promise<readonly string[]> {
    const { set, workspace } = await this.#view.forUse(client);
    const skill = set.byName.get(name);
    if (skill === undefined) return [];
    if (skill.folder === null) return ["SKILL.md"];
    try {
      return (await listSkillFiles(await placeOf(skill, workspace))).files;
    } catch {
      // It is gone by now.
      return [];
    }
  }
}
