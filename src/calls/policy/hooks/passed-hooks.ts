import type { CallRequest } from "../../call.ts";
import type { Amendment, Refusal } from "../../gate/gate-stage.ts";
import type { Params } from "../../../protocol/json-rpc.ts";
import type { Verdict } from "../rules/verdict.ts";
import type { HeardBefore } from "./heard-before.ts";

/** What hooks that have let a call through want to be done besides. */
interface Said {
  readonly args?: Params;
  readonly asks?: Verdict;
}

const prefix = "hooks:";

/** What they said in an earlier round of the call, in the sealed state that its client has brought back. */
export function saidEarlier({ ask }: CallRequest): Said | undefined {
  const [text] = ask?.marksWith?.(prefix) ?? [];
  // Only this program can have sealed it.
  return text === undefined ? undefined : (JSON.parse(text) as Said);
}

/** What they have said now; later rounds will know of it. */
export function saidNow({ ask }: CallRequest, { asks, args, isChanged }: HeardBefore): Said {
  const said: Said = {
    ...(isChanged ? { args: args as Params } : {}),
    ...(asks === undefined ? {} : { asks }),
  };
  ask?.mark?.(prefix + JSON.stringify(said));
  return said;
}

export function amendmentOf(
  { args, asks }: Said,
  confirm: (call: CallRequest, verdict: Verdict) => Promise<Refusal | undefined>,
): Amendment | undefined {
  if (args === undefined && asks === undefined) return undefined;
  return {
    ...(args === undefined ? {} : { args }),
    ...(asks === undefined ? {} : { confirm: (meant) => confirm(meant, asks) }),
  };
}
