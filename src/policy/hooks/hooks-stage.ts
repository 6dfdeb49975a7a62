import { messageOf } from "../../base/errors.ts";
import { hookReasonCharsMax } from "../../base/limits.ts";
import { escapeUnsafe } from "../../base/unsafe-characters.ts";
import type { CallOutcome, CallRequest } from "../../gateway/call.ts";
import type { GateStage, Refusal } from "../../gateway/gate/gate-stage.ts";
import { foreignToolOf } from "../../gateway/upstream/call-target.ts";
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

/** Of calls of other servers' tools. */
const foreignEvent = "mcp_call";

/** Says of a call that its hooks have let it through. */
const mark = "hooks";

/** Runs the hooks of each call before it is made; `sync-*` ones can stop it, also by failing in any other way. */
export class HooksStage implements GateStage {
  readonly #parts: HooksStageParts;

  constructor(parts: HooksStageParts) {
    this.#parts = parts;
  }

  mayObject(call: CallRequest): boolean {
    const { hooks, sessions } = this.#parts;
    const isReady = sessions === undefined || sessions.hasStarted(call.client.id);
    return call.cancellation.isCancelled || !isReady || !hooks.hasNone(this.#eventOf(call));
  }

  check(call: CallRequest): Promise<Refusal | undefined> | undefined {
    const { hooks, sessions } = this.#parts;
    // Its client may be gone: no session begins for it any more.
    if (call.cancellation.isCancelled) return Promise.resolve(cancelledCall);
    const starting = sessions?.begin(call.client);
    const eventName = this.#eventOf(call);
    if (starting === undefined && hooks.hasNone(eventName)) return undefined;
    return this.#check(call, eventName, starting);
  }

  /** Hooks of a tool of another server see its result too; nothing that they say of it changes it. */
  after(call: CallRequest, outcome: CallOutcome): Promise<readonly string[]> | undefined {
    if (call.target?.kind !== "tool" || outcome.kind !== "result") return undefined;
    if (this.#parts.hooks.hasNone(foreignEvent)) return undefined;
    return this.#after(call, outcome.json);
  }

  #eventOf({ name }: CallRequest): string {
    return this.#parts.isOwnTool(name) ? "tool_use" : foreignEvent;
  }

  async #after(call: CallRequest, json: string): Promise<readonly string[]> {
    const ending = new AbortController();
    const stop = (): void => ending.abort();
    call.cancellation.onCancel(stop);
    try {
      const veto = await this.#parts.hooks.emit({
        eventName: foreignEvent,
        clientId: call.client.id,
        cwd: () => call.client.workspaceDir(),
        data: (cwd) => ({
          ...dataOf(call, cwd),
          phase: "post",
          result: JSON.parse(json) as unknown,
        }),
        signal: ending.signal,
        canBeStopped: true,
      });
      return veto === undefined || veto.end.state === "cancelled" ? [] : [warningOf(veto)];
    } catch (error) {
      return [`Hooks could not be run after the call: ${messageOf(error)}`];
    } finally {
      call.cancellation.offCancel(stop);
    }
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

function dataOf({ name, args, client, target }: CallRequest, cwd: string): object {
  const data = {
    tool: name,
    arguments: args ?? {},
    client: clientNameOf(client.id),
    workspace: cwd,
  };
  const foreign = foreignToolOf(target);
  if (foreign === undefined) return data;
  return { ...data, phase: "pre", server: foreign.server, upstream_tool: foreign.tool };
}

function warningOf({ hook, end }: Veto): string {
  const said = end.output === "" ? "" : ` It says:\n${shortOutput(end.output, hookReasonCharsMax)}`;
  const key = hookKey(hook);
  return escapeUnsafe(`Warning: the hook ${key} (${hook.scope}) ${end.how} after the call.${said}`);
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
