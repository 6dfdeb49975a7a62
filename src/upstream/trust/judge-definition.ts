import { product } from "../../base/product.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { BlockReason } from "../snapshot.ts";
import { differencesOf, differingFields } from "./difference.ts";
import { escapeHidden, hasHidden } from "./hidden-characters.ts";
import type { ToolPins } from "./trust-file.ts";

/** One item of a server's current offer. */
export interface Offered {
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

export interface JudgeContext {
  readonly server: string;
  readonly isFirst: boolean;
  readonly lockPins?: ToolPins | undefined;
  readonly definitions: ReadonlyMap<string, Params>;
  readonly autoApprove: boolean;
  readonly onChange: "block" | "warn" | "allow";
}

export interface Judgement {
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
export function judgeDefinition(offered: Offered, context: JudgeContext): Judgement {
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
