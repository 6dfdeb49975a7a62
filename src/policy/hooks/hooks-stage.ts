import { messageOf } from "../../base/errors.ts";
import { hookReasonCharsMax } from "../../base/limits.ts";
import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import type { CallRequest } from "../../gateway/call.ts";
import type { GateStage, Refusal } from "../../gateway/gate/gate-stage.ts";
import { shortOutput } from "./hook-end.ts";
import type { HookSessions } from "./hook-sessions.ts";
import type { Hooks, Veto } from "./hooks.ts";
import { hookKey } from "./hook.ts";
import { clientNameOf } from "./session-folder.ts";

export interface HooksStageParts {
  readonly hooks: Hooks;
  /** Absent on the command line, where calls come from nobody who stays. */
  readonly sessions: HookSessions | undefined;
  /** False for tools of other servers. */
  readonly isOwnTool: (toolName: string) => boolean;
}

/** Says of a call that its hooks have let it through. */
const mark = "hooks";

/** Runs the hooks of each call before it is made; `sync-*` ones can stop it, also by failing in any other way. */
export class HooksStage implements GateStage {
  readonly #parts: HooksStageParts;

  constructor(parts: HooksStageParts) {
    this.#parts = parts;
  }

  check(call: CallRequest): Promise<Refusal | undefined> | undefined {
    const { hooks, sessions, isOwnTool } = this.#parts;
    // Its client may be gone: no session begins for it any more.
    if (call.cancellation.isCancelled) return Promise.resolve(cancelledCall);
    const starting = sessions?.begin(call.client);
    const eventName = isOwnTool(call.name) ? "tool_use" : "mcp_call";
    if (starting === undefined && hooks.hasNone(eventName)) return undefined;
    return this.#check(call, eventName, starting);
  }

  async #check(
    call: CallRequest,
    eventName: string,
    starting: Promise<void> | undefined,
  ): Promise<Refusal | undefined> {
    const begunAt = performance.now();
    const ending = new AbortController();
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const stop = (): void => {
      ending.abort();
      resolve();
    };
    call.cancellation.onCancel(stop);
    try {
      await Promise.race([starting, stopped]);
      if (ending.signal.aborted) return cancelledCall;
      // A client that comes back with answers makes the same call: its hooks have been run.
      if (call.ask?.isMarked?.(mark) === true) return undefined;
      const { answerMs } = call.client.limits;
      const leftMs = answerMs - (performance.now() - begunAt);
      const veto = await this.#parts.hooks.emit({
        eventName,
        clientId: call.client.id,
        cwd: () => call.client.workspaceDir(),
        data: (cwd) => dataOf(call, cwd),
        signal: ending.signal,
        canBeStopped: true,
        ...(answerMs > 0 ? { waitMsMax: leftMs } : {}),
      });
      if (veto !== undefined) return refusalOf(call, veto);
      call.ask?.mark?.(mark);
      return undefined;
    } catch (error) {
      const text = `${call.name} was not called: its hooks could not be run: ${messageOf(error)}`;
      return { decision: "vetoed", text };
    } finally {
      call.cancellation.offCancel(stop);
    }
  }
}

const cancelledCall: Refusal = { decision: "denied", text: "The call was cancelled." };

function dataOf({ name, args, client }: CallRequest, cwd: string): unknown {
  return { tool: name, arguments: args ?? {}, client: clientNameOf(client.id), workspace: cwd };
}

function refusalOf({ name }: CallRequest, { hook, end }: Veto): Refusal {
  if (end.state === "cancelled") return cancelledCall;
  const key = escapeUnsafe(hookKey(hook));
  const why = `${name} was not called: the hook ${key} (${hook.scope}) ${escapeUnsafe(end.how)}.`;
  if (end.output === "") return { decision: "vetoed", text: why };
  return {
    decision: "vetoed",
    text: `${why} It says:\n${escapeUnsafe(shortOutput(end.output, hookReasonCharsMax))}`,
  };
}
