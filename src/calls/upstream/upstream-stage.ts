import { AppError, messageOf } from "../../base/errors.ts";
import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import { isAtLeast } from "../../protocol/message.ts";
import type { Upstreams } from "../../upstream/upstreams.ts";
import type { CallRequest } from "../call.ts";
import type { ToolTarget } from "../call-target.ts";
import type { GateStage, Refusal } from "../gate/gate-stage.ts";

/**
 * The stage after plan mode: refuses calls that cannot be made at all, because there is no such tool, it is not approved, or it
 * takes other arguments. Rules and hooks see only calls that could be made.
 */
export class UpstreamStage implements GateStage {
  readonly #upstreams: Pick<Upstreams, "checkArguments">;

  constructor(upstreams: Pick<Upstreams, "checkArguments">) {
    this.#upstreams = upstreams;
  }

  check(call: CallRequest, isLast: () => boolean): Promise<Refusal | undefined> | undefined {
    const { target } = call;
    switch (target?.kind) {
      case undefined:
      case "search":
        return undefined;
      case "unresolved":
        return Promise.resolve({
          decision: "invalid",
          text: escapeUnsafe(target.text),
          isFault: !target.isResult,
        });
      case "blocked":
        return Promise.resolve({
          decision: "denied",
          text: `${call.name} was not called: ${target.text}`,
        });
      case "tool":
        // The call is checked with the same schema when it is made: there is no need to ask twice.
        return isLast() ? undefined : this.#checkArguments(call, target);
    }
  }

  async #checkArguments(
    { name, args, cancellation, version }: CallRequest,
    { server, tool }: ToolTarget,
  ): Promise<Refusal | undefined> {
    let problem: string | undefined;
    try {
      problem = await this.#upstreams.checkArguments(server, tool, args ?? {}, cancellation);
    } catch (error) {
      if (error instanceof AppError && error.code === "cancelled") throw error;
      problem = `they could not be checked: ${messageOf(error)}`;
    }
    if (problem === undefined) return undefined;
    // As for own tools: a result that the model can learn from, where the revision has that.
    const isFault = !isAtLeast(version, "2025-11-25");
    return { decision: "invalid", text: invalidText(name, problem), isFault };
  }
}

/** The message about arguments that do not fit. */
export function invalidText(name: string, problem: string): string {
  return `Invalid arguments for ${name}: ${problem}`;
}
