import { messageOf } from "../../../base/errors.ts";
import { upstreamToolOf } from "../../call-target.ts";
import type { CallOutcome, CallRequest } from "../../call.ts";
import type { Amendment, GateStage, Refusal, Rest, ResultChange } from "../../gate/gate-stage.ts";
import type { Verdict } from "../rules/rule.ts";
import {
  amendmentOf,
  HeardAfter,
  HeardBefore,
  type Objection,
  saidEarlier,
  saidNow,
  sentenceOf,
  withReason,
} from "./heard.ts";
import type { HookSessions } from "./hook-sessions.ts";
import type { Hooks, Veto } from "./hooks.ts";
import { clientNameOf } from "./session-folder.ts";

export interface HooksStageParts {
  readonly hooks: Hooks;
  /** Absent on the command line, where calls come from nobody who stays. */
  readonly sessions: HookSessions | undefined;
  /** False for tools of upstream servers. */
  readonly isOwnTool: (toolName: string) => boolean;
  /** Asks the user about a call, unless the user has agreed to it. @throws InputNeeded to be let through */
  readonly confirm: (call: CallRequest, verdict: Verdict) => Promise<Refusal | undefined>;
}

/**
 * Runs the hooks of each call before it is made and after it. Before, `sync-*` ones can stop it, also by failing in any
 * other way, have the user asked, and change its arguments; after it, its result.
 */
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

  /** As long as it is known that there are no hooks, and the session goes on. */
  restFor(call: CallRequest): Rest | undefined {
    const { hooks, sessions } = this.#parts;
    const eventName = this.#eventOf(call);
    const until = hooks.noneUntil(eventName);
    return sessions === undefined
      ? { until }
      : sessions.restUntil(call.client.id, eventName, until);
  }

  check(call: CallRequest): Promise<Refusal | Amendment | undefined> | undefined {
    const { hooks, sessions } = this.#parts;
    // Its client may be gone: no session begins for it any more.
    if (call.cancellation.isCancelled) return Promise.resolve(cancelledCall);
    const starting = sessions?.begin(call.client);
    const eventName = this.#eventOf(call);
    if (starting === undefined && hooks.hasNone(eventName)) return undefined;
    return this.#check(call, eventName, starting);
  }

  after(
    call: CallRequest,
    outcome: CallOutcome,
    leftMs: number,
  ): Promise<ResultChange> | undefined {
    if (outcome.kind !== "result" || this.#parts.hooks.hasNone(this.#eventOf(call)))
      return undefined;
    return this.#after(call, outcome, leftMs);
  }

  wantsData(call: CallRequest): boolean {
    return !this.#parts.hooks.hasNone(this.#eventOf(call));
  }

  #eventOf({ name }: CallRequest): string {
    return this.#parts.isOwnTool(name) ? "tool_use" : "mcp_call";
  }

  async #after(
    call: CallRequest,
    { json, dataJson }: Extract<CallOutcome, { kind: "result" }>,
    leftMs: number,
  ): Promise<ResultChange> {
    const { version, name } = call;
    const isOwn = this.#parts.isOwnTool(name);
    const heard = new HeardAfter({ json, dataJson, isOwn, version });
    const ending = endingWith(call);
    try {
      await this.#parts.hooks.emit({
        eventName: this.#eventOf(call),
        phase: "post",
        clientId: call.client.id,
        cwd: () => call.client.workspaceDir(),
        data: (cwd) => ({ ...dataOf(call, call.args, "post", cwd), result: heard.result }),
        heed: heard.heed,
        signal: ending.signal,
        canBeStopped: true,
        waitMsMax: leftMs,
      });
      return heard.look;
    } catch (error) {
      return { lines: [`Hooks could not be run after the call: ${messageOf(error)}`] };
    } finally {
      ending.release();
    }
  }

  async #check(
    call: CallRequest,
    eventName: string,
    starting: Promise<void> | undefined,
  ): Promise<Refusal | Amendment | undefined> {
    const begunAt = performance.now();
    const ending = endingWith(call);
    try {
      await Promise.race([starting, ending.stopped]);
      if (ending.signal.aborted) return cancelledCall;
      const { confirm } = this.#parts;
      // A client that comes back with answers makes the same call: its hooks have been run.
      const earlier = saidEarlier(call);
      if (earlier !== undefined) return amendmentOf(earlier, confirm);
      const { answerMs } = call.client.limits;
      const heard = new HeardBefore(call.args);
      const veto = await this.#parts.hooks.emit({
        eventName,
        phase: "pre",
        clientId: call.client.id,
        cwd: () => call.client.workspaceDir(),
        data: (cwd) => dataOf(call, heard.args, "pre", cwd),
        heed: heard.heed,
        signal: ending.signal,
        canBeStopped: true,
        ...(answerMs > 0 ? { waitMsMax: answerMs - (performance.now() - begunAt) } : {}),
      });
      if (veto !== undefined) return vetoRefusal(call, veto, heard.objection);
      return amendmentOf(saidNow(call, heard), confirm);
    } catch (error) {
      const text = `${call.name} was not called: its hooks could not be run: ${messageOf(error)}`;
      return { decision: "vetoed", text };
    } finally {
      ending.release();
    }
  }
}

/** Ends hooks when their call is cancelled. */
function endingWith({ cancellation }: CallRequest): {
  readonly signal: AbortSignal;
  readonly stopped: Promise<void>;
  release(): void;
} {
  const ending = new AbortController();
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const stop = (): void => {
    ending.abort();
    resolve();
  };
  cancellation.onCancel(stop);
  return { signal: ending.signal, stopped, release: () => cancellation.offCancel(stop) };
}

const cancelledCall: Refusal = { decision: "denied", text: "The call was cancelled." };

/** @param args those of the call, or a hook's replacement */
function dataOf(
  { name, client, target }: CallRequest,
  args: unknown,
  phase: "pre" | "post",
  cwd: string,
): object {
  const foreign = upstreamToolOf(target);
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
function vetoRefusal(
  { name }: CallRequest,
  { hook, end }: Veto,
  objection: Objection | undefined,
): Refusal {
  if (end.state === "cancelled") return cancelledCall;
  const { how, reason } = objection ?? { how: end.how, reason: end.output };
  const why = `${name} was not called: ${sentenceOf(hook, how)}`;
  return { decision: "vetoed", text: withReason(why, reason) };
}
