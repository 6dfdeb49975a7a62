import type { Params } from "../../protocol/json-rpc.ts";
import type { RawTool, ServerCatalogue } from "../catalogue/server-catalogue.ts";
import type { BlockReason } from "../snapshot.ts";
import {
  approvedInstructions,
  approvedPromptParts,
  approvedToolParts,
  instructionsHash,
  promptHash,
  toolHash,
} from "./definition-hash.ts";
import { withoutHidden } from "./hidden-characters.ts";
import { type Judgement, judgeDefinition, type Offered } from "./judge-definition.ts";
import { emptyPins, type ToolPins } from "./trust-record.ts";
import type { ToolRules } from "./tool-rules.ts";
import type { NewPins } from "./trust-store.ts";

/** What is to be done with a catalogue that is not as it was approved (`--on-change`). */
export type OnChange = "block" | "warn" | "allow";

export interface JudgeParts {
  readonly server: string;
  /** Of the launch identity; undefined = this is the first contact. */
  readonly pins: ToolPins | undefined;
  /** What the project's `mcp.lock` says of this server, when it is there: the baseline of a first contact (TR12). */
  readonly lockPins?: ToolPins | undefined;
  /** For showing what has changed. */
  readonly definitions: ReadonlyMap<string, Params>;
  /** `auto_approve` of the entry; of a user source only. */
  readonly autoApprove: boolean;
  readonly onChange: OnChange;
  readonly rules: ToolRules;
  /** The name under which clients have the tool: rules are held against it as well. */
  readonly nameOf: (tool: string) => string;
}

export type JudgedItem<Item> =
  /** `shown` is `item` without hidden characters; its `name` is untouched. */
  | { readonly state: "approved"; readonly item: Item; readonly shown: Item }
  | { readonly state: BlockReason; readonly item: Item; readonly text: string };

export interface JudgedCatalogue {
  readonly tools: readonly JudgedItem<RawTool>[];
  readonly prompts: readonly JudgedItem<ServerCatalogue["prompts"][number]>[];
  /** Cleaned; absent when there are none, or when they are not approved. */
  readonly instructions?: string;
  /** To be stored (`TrustStore.addPins`); undefined = nothing new. */
  readonly newPins?: NewPins;
  /** What was let through though it is not as it was approved, one sentence each: for the log. */
  readonly notices: readonly string[];
}

/** Says of all that a server offers whether it may be used (TR2–TR5, TR8, TR12). Reads and writes nothing. */
export function judgeCatalogue(catalogue: ServerCatalogue, parts: JudgeParts): JudgedCatalogue {
  const newTools = new Map<string, string>();
  const newPrompts = new Map<string, string>();
  const definitions = new Map<string, Params>();
  const notices: string[] = [];
  const isFirst = parts.pins === undefined;
  const baseline = parts.pins ?? parts.lockPins;
  const judge = (offered: Offered, target: Map<string, string>): Judgement => {
    const judgement = judgeDefinition(offered, {
      ...parts,
      isFirst,
      baseline: baseline ?? emptyPins,
    });
    if (judgement.pin !== undefined) target.set(offered.name, judgement.pin);
    if (judgement.pin === offered.hash) definitions.set(offered.hash, offered.definition);
    if (judgement.notice !== undefined) notices.push(judgement.notice);
    return judgement;
  };

  const tools = catalogue.tools.map((tool) => {
    const rule = parts.rules.reasonAgainst(tool.name, parts.nameOf(tool.name));
    const offered = toolOffered(tool, rule, baseline);
    return judgedItem(tool, judge(offered, newTools));
  });
  const prompts = catalogue.prompts.map((prompt) => {
    return judgedItem(prompt, judge(promptOffered(prompt, baseline), newPrompts));
  });
  const newInstructions = new Map<string, string>();
  const { instructions } = catalogue;
  const offered = instructions === undefined ? undefined : textOffered(instructions, baseline);
  const spoken = offered === undefined ? undefined : judge(offered, newInstructions);
  const hash = newInstructions.get(instructionsName);

  // A server that has nothing yet has not been met: what it shows later is looked at then.
  const isMet = !isFirst || tools.length > 0 || prompts.length > 0;
  const hasNew = isFirst || newTools.size > 0 || newPrompts.size > 0 || hash !== undefined;
  return {
    tools,
    prompts,
    ...(spoken?.state === "approved" && instructions !== undefined
      ? { instructions: withoutHidden(instructions) }
      : {}),
    ...(isMet && hasNew
      ? {
          newPins: {
            ...(hash === undefined ? {} : { instructions: hash }),
            tools: newTools,
            prompts: newPrompts,
            definitions,
          },
        }
      : {}),
    notices,
  };
}

/** Instructions are judged as a definition with this name. */
const instructionsName = "instructions";

function toolOffered(
  tool: RawTool,
  rule: string | undefined,
  baseline: ToolPins | undefined,
): Offered {
  return {
    kind: "tool",
    name: tool.name,
    definition: approvedToolParts(tool),
    hash: toolHash(tool),
    pinned: baseline?.tools.get(tool.name),
    rule: baseline?.denied.has(tool.name) === true ? "you have refused it" : rule,
  };
}

function promptOffered(
  prompt: Params & { readonly name: string },
  baseline: ToolPins | undefined,
): Offered {
  return {
    kind: "prompt",
    name: prompt.name,
    definition: approvedPromptParts(prompt),
    hash: promptHash(prompt),
    pinned: baseline?.prompts.get(prompt.name),
    rule: undefined,
  };
}

function textOffered(instructions: string, baseline: ToolPins | undefined): Offered {
  return {
    kind: "instructions",
    name: instructionsName,
    definition: approvedInstructions(instructions),
    hash: instructionsHash(instructions),
    pinned: baseline?.instructions,
    rule: undefined,
  };
}

function judgedItem<Item extends { readonly name: string }>(
  item: Item,
  { state, text }: Judgement,
): JudgedItem<Item> {
  return state === "approved"
    ? { state, item, shown: { ...withoutHidden(item), name: item.name } }
    : { state, item, text: text ?? "" };
}
