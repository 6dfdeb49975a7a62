import { hookReasonCharsMax } from "../../../base/limits.ts";
import { escapeUnsafe } from "../../../base/unsafe-characters.ts";
import { isObject } from "../../../base/values.ts";
import type { Params } from "../../../protocol/json-rpc.ts";
import { foreignToolOf } from "../../call-target.ts";
import type { CallRequest } from "../../call.ts";
import type { Refusal } from "../../gate/gate-stage.ts";
import { type Hook, type HookEnd, hookKey, shortOutput } from "./hook.ts";
import type { Veto } from "./hooks.ts";
import { clientNameOf } from "./session-folder.ts";

/** The JSON answer about a call on the output of a hook that was waited for and succeeded. */
interface HookAnswer {
  /** Absent, like `allow`: it has nothing against the call. */
  readonly decision?: "allow" | "ask" | "deny";
  readonly reason?: string;
  /** The arguments that the tool gets instead. */
  readonly updatedArguments?: Params;
  /** After the call: the result that the client gets instead. */
  readonly updatedResult?: Params;
}

export type HookReading =
  /** It wrote nothing, or something for people. */
  | { readonly kind: "silent" }
  | { readonly kind: "answer"; readonly answer: HookAnswer }
  /** It was meant as an answer and cannot be used. `how` completes "the hook …". */
  | { readonly kind: "unusable"; readonly how: string };

const keys = ["decision", "reason", "updated_arguments", "updated_result"] as const;
const silent: HookReading = { kind: "silent" };

/** Reads the output of a hook: an object of JSON, alone or in the last line, that has one of the four members. */
export function readHookAnswer({ output, isCut }: HookEnd): HookReading {
  const found = answerIn(output);
  if (found !== undefined) return checked(found);
  // Half an answer could be the one that says no.
  if (isCut === true && output.startsWith("{")) return unusable("wrote an answer that is too long");
  return silent;
}

function answerIn(output: string): Params | undefined {
  const lastLine = output.slice(output.lastIndexOf("\n") + 1);
  for (const text of [output, lastLine]) {
    const value = text.startsWith("{") ? parsed(text) : undefined;
    if (isObject(value) && keys.some((key) => Object.hasOwn(value, key))) return value;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function checked(value: Params): HookReading {
  const { decision, reason, updated_arguments: args, updated_result: result } = value;
  if (!isDecision(decision)) return unusable('has a decision that is not "allow", "ask" or "deny"');
  if (args !== undefined && !isObject(args)) return unusable("has updated_arguments of no object");
  if (result !== undefined && !isObject(result))
    return unusable("has an updated_result of no object");
  const answer: HookAnswer = {
    ...(decision === undefined ? {} : { decision }),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(args === undefined ? {} : { updatedArguments: args }),
    ...(result === undefined ? {} : { updatedResult: result }),
  };
  return { kind: "answer", answer };
}

function isDecision(value: unknown): value is HookAnswer["decision"] {
  return value === undefined || value === "allow" || value === "ask" || value === "deny";
}

function unusable(how: string): HookReading {
  return { kind: "unusable", how };
}

/** The texts for the model about hooks, and the data for hooks about a call. */

export const cancelledCall: Refusal = { decision: "denied", text: "The call was cancelled." };

/** Why a hook that ended well is against a call. */
export interface Objection {
  /** Completes "the hook …". */
  readonly how: string;
  readonly reason: string;
}

/** @param args those of the call, or a hook's replacement */
export function dataOf(
  { name, client, target }: CallRequest,
  args: unknown,
  phase: "pre" | "post",
  cwd: string,
): object {
  const foreign = foreignToolOf(target);
  return {
    phase,
    tool: name,
    arguments: args ?? {},
    client: clientNameOf(client.id),
    workspace: cwd,
    ...(foreign === undefined ? {} : { server: foreign.server, upstream_tool: foreign.tool }),
  };
}

/** @param objection the hook's reason; absent when it failed */
export function vetoRefusal(
  { name }: CallRequest,
  { hook, end }: Veto,
  objection: Objection | undefined,
): Refusal {
  if (end.state === "cancelled") return cancelledCall;
  const { how, reason } = objection ?? { how: end.how, reason: end.output };
  const why = `${name} was not called: ${sentenceOf(hook, how)}`;
  return { decision: "vetoed", text: withReason(why, reason) };
}

/** Of a hook that ran after the call. */
export function warningOf(hook: Hook, how: string, reason: string): string {
  const text = sentenceOf(hook, `${how} after the call`);
  return withReason(`Warning: ${text}`, reason);
}

export function failureText(hook: Hook, { how, output }: HookEnd): string {
  return warningOf(hook, how, output);
}

function sentenceOf(hook: Hook, how: string): string {
  return `the hook ${escapeUnsafe(hookKey(hook))} (${hook.scope}) ${escapeUnsafe(how)}.`;
}

function withReason(text: string, reason: string): string {
  if (reason === "") return text;
  return `${text} It says:\n${escapeUnsafe(shortOutput(reason, hookReasonCharsMax))}`;
}
