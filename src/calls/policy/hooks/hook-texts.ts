import { hookReasonCharsMax } from "../../../base/limits.ts";
import { escapeUnsafe } from "../../../base/unsafe-characters.ts";
import type { CallRequest } from "../../call.ts";
import type { Refusal } from "../../gate/gate-stage.ts";
import { foreignToolOf } from "../../call-target.ts";
import { type HookEnd, shortOutput } from "./hook-end.ts";
import { type Hook, hookKey } from "./hook.ts";
import type { Veto } from "./hooks.ts";
import { clientNameOf } from "./session-folder.ts";

/** What is told to the model about hooks, and what hooks are told about a call. */

export const cancelledCall: Refusal = { decision: "denied", text: "The call was cancelled." };

/** Why a hook that ended well is against a call. */
export interface Objection {
  /** Completes "the hook …". */
  readonly how: string;
  readonly reason: string;
}

/** @param args those of the call, or what a hook has made of them */
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

/** @param objection what the hook said against it; absent when it failed */
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
