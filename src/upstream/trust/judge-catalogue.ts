import { product } from "../../base/product.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { RawTool, ServerCatalogue } from "../connect/connection.ts";
import type { BlockReason } from "../snapshot.ts";
import {
  approvedInstructions,
  approvedPromptParts,
  approvedToolParts,
  definitionHash,
  differencesOf,
  differingFields,
} from "./approved-definition.ts";
import { withoutHidden, escapeHidden, hasHidden } from "./hidden-characters.ts";
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
  readonly #context: JudgeContext;
  readonly #pins: Readonly<Record<Offered["kind"], Map<string, string>>> = {
    tool: new Map(),
    prompt: new Map(),
    instructions: new Map(),
  };
  readonly #definitions = new Map<string, Params>();

  constructor(parts: CatalogueJudgeParts) {
    this.#context = { ...parts, isFirst: parts.pins === undefined };
  }

  judge(offered: Offered): Judgement {
    const judgement = judgeDefinition(offered, this.#context);
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
    if (!this.#context.isFirst && tools.size + prompts.size + instructions.size === 0)
      return undefined;
    const told = hash === undefined ? {} : { instructions: hash };
    const first = this.#context.isFirst ? { isFirst: true } : {};
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
  const { name } = tool;
  const refusal = baseline?.denied.has(name) === true ? "you have refused it" : rule;
  return offered("tool", name, approvedToolParts(tool), baseline?.tools.get(name), refusal);
}

function promptOffered(
  prompt: Params & { readonly name: string },
  baseline: ToolPins | undefined,
): Offered {
  const { name } = prompt;
  return offered("prompt", name, approvedPromptParts(prompt), baseline?.prompts.get(name));
}

function textOffered(instructions: string, baseline: ToolPins | undefined): Offered {
  const definition = approvedInstructions(instructions);
  return offered("instructions", instructionsName, definition, baseline?.instructions);
}

function offered(
  kind: Offered["kind"],
  name: string,
  definition: Params,
  pinned: string | undefined,
  rule?: string,
): Offered {
  return { kind, name, definition, hash: definitionHash(definition), pinned, rule };
}

function judgedItem<Item extends { readonly name: string }>(
  item: Item,
  { state, text, isUnapproved }: Judgement,
): JudgedItem<Item> {
  if (state !== "approved") return { state, item, text: text ?? "" };
  const shown = { ...withoutHidden(item), name: item.name };
  return { state, item, shown, ...(isUnapproved === true && { isUnapproved }) };
}

/** One item of a server's current offer. */
interface Offered {
  readonly kind: "tool" | "prompt" | "instructions";
  readonly name: string;
  /** The approved parts. */
  readonly definition: Params;
  readonly hash: string;
  /** The hash that was approved; undefined = none. */
  readonly pinned: string | undefined;
  /** Why a rule forbids it whatever its definition is, as the end of a sentence. */
  readonly rule: string | undefined;
}

interface JudgeContext extends CatalogueJudgeParts {
  /** It is the first contact: there are no approvals yet. */
  readonly isFirst: boolean;
}

interface Judgement {
  readonly state: "approved" | BlockReason;
  /** It is offered although it differs from the approved definition (`--on-change`). */
  readonly isUnapproved?: true;
  /** Why it is not approved, and the advice. */
  readonly text?: string;
  /** The hash to store as approved. */
  readonly pin?: string;
  readonly notice?: string;
}

/**
 * Judges one item. A rule overrides the state but does not change it: without the rule the item is judged as before.
 */
function judgeDefinition(offered: Offered, context: JudgeContext): Judgement {
  const judgement = judgeHash(offered, context);
  if (offered.rule === undefined) return judgement;
  return {
    state: "denied",
    text: `${titleOf(offered, context)} may not be used: ${offered.rule}.`,
    ...(judgement.pin === undefined ? {} : { pin: judgement.pin }),
  };
}

/**
 * Checks for hidden characters before new and changed items: a definition with them is never approved automatically.
 */
function judgeHash(offered: Offered, context: JudgeContext): Judgement {
  const { hash, pinned } = offered;
  if (hash === pinned && !context.isFirst && wasSeen(offered, context))
    return { state: "approved" };
  if (hasHidden(offered.definition)) return hiddenJudgement(offered, context);
  const isBaseline = context.isFirst && context.lockPins === undefined;
  if (isBaseline || hash === pinned) return { state: "approved", pin: hash };
  return pinned === undefined ? newJudgement(offered, context) : changedJudgement(offered, context);
}

/**
 * Whether the user has seen the definition. A hash may come from a lock, without anyone having looked; a stored
 * definition proves that someone has.
 */
function wasSeen({ hash, definition }: Offered, { definitions }: JudgeContext): boolean {
  return definitions.has(hash) || !hasHidden(definition);
}

function hiddenJudgement(offered: Offered, context: JudgeContext): Judgement {
  const { hash, pinned } = offered;
  return {
    state: "pending",
    // The lock's hash stays the baseline, unless it is this one.
    ...(context.isFirst && pinned !== undefined && pinned !== hash ? { pin: pinned } : {}),
    text: `${titleOf(offered, context)} has hidden characters in its definition, which a model reads and you do not see. ${lookAt(context)} ${remedyOf(offered, context)}`,
  };
}

function newJudgement(offered: Offered, context: JudgeContext): Judgement {
  const since = context.isFirst ? "is not in mcp.lock" : "came after its server was approved";
  return (
    letThrough(offered, context, since) ?? {
      state: "pending",
      text: `${titleOf(offered, context)} ${since} and waits for your approval. ${lookAt(context)} ${remedyOf(offered, context)}`,
    }
  );
}

function changedJudgement(offered: Offered, context: JudgeContext): Judgement {
  const than = context.isFirst ? "differs from mcp.lock" : "was changed since it was approved";
  const before = context.definitions.get(offered.pinned ?? "");
  const fields =
    before === undefined ? "" : ` (${differingFields(differencesOf(before, offered.definition))})`;
  const judgement = letThrough(offered, context, than + fields);
  if (judgement !== undefined) return judgement;
  return {
    state: "changed",
    text: `${titleOf(offered, context)} ${than}${fields}. ${lookAt(context)} ${remedyOf(offered, context)}`,
    // The lock's hash stays the baseline, although that definition was never offered here.
    ...(context.isFirst && offered.pinned !== undefined ? { pin: offered.pinned } : {}),
  };
}

/** The judgement where settings accept changes, otherwise undefined. */
function letThrough(offered: Offered, context: JudgeContext, what: string): Judgement | undefined {
  const title = titleOf(offered, context);
  if (context.autoApprove) {
    const notice = `${title} ${what}; auto_approve accepted it.`;
    return { state: "approved", pin: offered.hash, notice };
  }
  if (context.onChange === "block") return undefined;
  const pin = context.isFirst ? offered.pinned : undefined;
  return {
    state: "approved",
    isUnapproved: true,
    ...(pin === undefined ? {} : { pin }),
    ...(context.onChange === "warn" ? { notice: `${title} ${what}; it is still offered.` } : {}),
  };
}

function titleOf({ kind, name }: Offered, { server }: JudgeContext): string {
  const whose = `server ${JSON.stringify(server)}`;
  if (kind === "instructions") return `The instructions text of ${whose}`;
  const shown = escapeHidden(JSON.stringify(name.slice(0, 128)));
  return `The ${kind} ${shown} of ${whose}`;
}

function lookAt({ server }: JudgeContext): string {
  return `See the definition: ${product.name} mcp diff ${server}.`;
}

function remedyOf({ kind, name }: Offered, { server }: JudgeContext): string {
  // A name that a shell would split is approved together with the others.
  const one = kind === "tool" && /^[\w.-]+$/.test(name) ? `${server}/${name}` : server;
  return `Approve it: ${product.name} mcp approve ${one}.`;
}
