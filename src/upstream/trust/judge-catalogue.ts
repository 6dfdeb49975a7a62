import type { Params } from "../../protocol/json-rpc.ts";
import type { RawTool, ServerCatalogue } from "../connect/connection.ts";
import type { BlockReason } from "../snapshot.ts";
import {
  approvedInstructions,
  approvedPromptParts,
  approvedToolParts,
  instructionsHash,
  promptHash,
  toolHash,
} from "./difference.ts";
import { withoutHidden } from "./hidden-characters.ts";
import { type Judgement, judgeDefinition, type Offered } from "./judge-definition.ts";
import type { ToolRules } from "./tool-rules.ts";
import type { ToolPins } from "./trust-file.ts";
import type { NewPins } from "./trust-store.ts";

export interface CatalogueJudgeParts {
  readonly server: string;
  /** The approvals of the launch identity; undefined at the first contact. */
  readonly pins: ToolPins | undefined;
  /** The hashes of this server in the project's `mcp.lock`, if any: the baseline of a first contact (TR12). */
  readonly lockPins?: ToolPins | undefined;
  /** Approved definitions by hash, to show changes. */
  readonly definitions: ReadonlyMap<string, Params>;
  /** `auto_approve` of the entry; of a user source only. */
  readonly autoApprove: boolean;
  /** The treatment of definitions that differ from the approved ones (`--on-change`). */
  readonly onChange: "block" | "warn" | "allow";
  readonly rules: ToolRules;
  /** The name of the tool for clients; rules are matched against it as well. */
  readonly nameOf: (tool: string) => string;
}

export type JudgedItem<Item> =
  /** `shown` is `item` without hidden characters; its `name` is untouched. */
  | {
      readonly state: "approved";
      readonly item: Item;
      readonly shown: Item;
      /** It is offered although it differs from the approved definition (`--on-change`). */
      readonly isUnapproved?: true;
    }
  | { readonly state: BlockReason; readonly item: Item; readonly text: string };

export interface JudgedCatalogue {
  readonly tools: readonly JudgedItem<RawTool>[];
  readonly prompts: readonly JudgedItem<ServerCatalogue["prompts"][number]>[];
  /** Cleaned; absent when there are none, or when they are not approved. */
  readonly instructions?: string;
  /** To be stored (`TrustStore.addPins`); undefined = nothing new. */
  readonly newPins?: NewPins;
  /** One sentence for each item that was accepted although it differs from the approved definition, for the log. */
  readonly notices: readonly string[];
}

/** Judges a server's whole offer (TR2–TR5, TR8, TR12). Reads and writes nothing. */
export function judgeCatalogue(
  catalogue: ServerCatalogue,
  parts: CatalogueJudgeParts,
): JudgedCatalogue {
  const judge = new Judge(parts);
  const baseline = parts.pins ?? parts.lockPins;
  const tools = catalogue.tools.map((tool) => {
    const rule = parts.rules.reasonAgainst(tool.name, parts.nameOf(tool.name));
    return judgedItem(tool, judge.judge(toolOffered(tool, rule, baseline)));
  });
  const prompts = catalogue.prompts.map((prompt) => {
    return judgedItem(prompt, judge.judge(promptOffered(prompt, baseline)));
  });
  const { instructions } = catalogue;
  const mayTell =
    instructions !== undefined &&
    judge.judge(textOffered(instructions, baseline)).state === "approved";
  // With an empty offer, the first contact is still to come.
  const isMet = parts.pins !== undefined || tools.length > 0 || prompts.length > 0;
  const newPins = isMet ? judge.newPins() : undefined;
  return {
    tools,
    prompts,
    ...(mayTell ? { instructions: withoutHidden(instructions) } : {}),
    ...(newPins === undefined ? {} : { newPins }),
    notices: judge.notices,
  };
}

/** Judges items one by one, and collects their approvals and notices. */
class Judge {
  readonly notices: string[] = [];
  readonly #parts: CatalogueJudgeParts;
  readonly #isFirst: boolean;
  readonly #pins: Readonly<Record<Offered["kind"], Map<string, string>>> = {
    tool: new Map(),
    prompt: new Map(),
    instructions: new Map(),
  };
  readonly #definitions = new Map<string, Params>();

  constructor(parts: CatalogueJudgeParts) {
    this.#parts = parts;
    this.#isFirst = parts.pins === undefined;
  }

  judge(offered: Offered): Judgement {
    const judgement = judgeDefinition(offered, { ...this.#parts, isFirst: this.#isFirst });
    const { pin, notice } = judgement;
    if (pin !== undefined) this.#pins[offered.kind].set(offered.name, pin);
    if (pin === offered.hash) this.#definitions.set(pin, offered.definition);
    if (notice !== undefined) this.notices.push(notice);
    return judgement;
  }

  /** Undefined when there is nothing to store; a first contact is always stored. */
  newPins(): NewPins | undefined {
    const { tool: tools, prompt: prompts, instructions } = this.#pins;
    const hash = instructions.get(instructionsName);
    if (!this.#isFirst && tools.size + prompts.size + instructions.size === 0) return undefined;
    const told = hash === undefined ? {} : { instructions: hash };
    const first = this.#isFirst ? { isFirst: true } : {};
    return { ...first, ...told, tools, prompts, definitions: this.#definitions };
  }
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
  { state, text, isUnapproved }: Judgement,
): JudgedItem<Item> {
  if (state !== "approved") return { state, item, text: text ?? "" };
  const shown = { ...withoutHidden(item), name: item.name };
  return { state, item, shown, ...(isUnapproved === true && { isUnapproved }) };
}
