import { strictest, type Verdict } from "../rules/verdict.ts";
import { readHookAnswer } from "./hook-answer.ts";
import type { HookEnd } from "./hook-end.ts";
import type { Heeded } from "./hook-event.ts";
import type { Objection } from "./hook-texts.ts";
import { type Hook, hookKey } from "./hook.ts";

/** What the hooks of a call have said before it is made: the strictest decision counts, and the last arguments. */
export class HeardBefore {
  /** As the next hook is to see them. */
  args: unknown;
  isChanged = false;
  /** Of the first hook that wants the user to be asked. */
  asks: Verdict | undefined;
  /** Of the hook that stopped the call although it ended well. */
  objection: Objection | undefined;

  constructor(args: unknown) {
    this.args = args;
  }

  readonly heed = (hook: Hook, end: HookEnd): Heeded => {
    if (end.state !== "done") return "stop";
    const reading = readHookAnswer(end);
    if (reading.kind === "silent") return "go-on";
    if (reading.kind === "unusable") {
      this.objection = { how: reading.how, reason: "" };
      return "stop";
    }
    const { decision, reason, updatedArguments } = reading.answer;
    if (decision === "deny") {
      this.objection = { how: "denied it", reason: reason ?? "" };
      return "stop";
    }
    if (decision === "ask") {
      const rule = `the hook ${hookKey(hook)} (${hook.scope})`;
      this.asks = strictest([
        ...(this.asks === undefined ? [] : [this.asks]),
        { action: "ask", rule, reason },
      ]);
    }
    if (updatedArguments === undefined) return "go-on";
    this.args = updatedArguments;
    this.isChanged = true;
    return "changed";
  };
}
