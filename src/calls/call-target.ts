import { answerMarginMs } from "../base/limits.ts";
import type { Writable } from "../base/values.ts";
import { isAtLeast } from "../protocol/message.ts";
import { FaultError } from "./ask-client.ts";
import type {
  CallRequest,
  CallTarget,
  ClientContext,
  NamedTool,
  RequestContext,
  TaskOptions,
} from "./call.ts";

/**
 * Whether a result of this call that has no structured content must be an error: the client was shown a schema of it, and
 * refuses, or does not show, any other. A program shows what there is.
 */
export function promisesStructure({ target, version, wantsData }: CallRequest): boolean {
  if (target?.kind !== "tool" || wantsData === true) return false;
  return target.hasOutputSchema && isAtLeast(version, "2025-06-18");
}

/** The upstream server and tool that a call is about; undefined if it concerns no upstream server. */
export function foreignToolOf(target: CallTarget | undefined): NamedTool | undefined {
  return target?.kind === "tool" || target?.kind === "blocked" ? target : undefined;
}

interface Resolution {
  /** The tool's name here, which rules, hooks and the audit log use. */
  readonly name: string;
  readonly args: unknown;
  readonly target?: CallTarget;
}

/** A call, or another request that is put to a server. */
type Asked = RequestContext &
  Pick<CallRequest, "atReply" | "becomeTask" | "closeStream" | "wantsData">;

/** The call as it is meant: under the tool's own name, for the same client and with the same ways to speak to it. */
export function resolvedCall(request: Asked, resolution: Resolution): CallRequest {
  const { version, client, cancellation, onProgress, capabilities, ask, passedMeta, wantsData } =
    request;
  const { becomeTask, closeStream, observed } = request;
  const { name, args, target } = resolution;
  const call: Writable<CallRequest> = {
    name,
    args,
    version,
    client,
    cancellation,
    log: (level, data, logger) => request.log?.(level, data, logger),
  };
  if (target !== undefined) call.target = target;
  if (onProgress !== undefined) call.onProgress = onProgress;
  if (capabilities !== undefined) call.capabilities = capabilities;
  if (ask !== undefined) call.ask = ask;
  if (passedMeta !== undefined) call.passedMeta = passedMeta;
  if (wantsData !== undefined) call.wantsData = wantsData;
  if (becomeTask !== undefined) call.becomeTask = becomeTask;
  if (closeStream !== undefined) call.closeStream = closeStream;
  if (request.atReply !== undefined) call.atReply = (record) => request.atReply?.(record);
  if (observed !== undefined) call.observed = observed;
  return call;
}

/**
 * When a client must have the answer to a call that came at `begunAt`, on the clock of `performance.now()`; undefined
 * when it waits forever.
 */
export function answerTimeOf({ limits }: ClientContext, begunAt: number): number | undefined {
  const { answerMs } = limits;
  if (answerMs === 0) return undefined;
  // Half of a limit that is shorter than the margin twice over.
  return begunAt + Math.max(answerMs - answerMarginMs, answerMs / 2);
}

/**
 * Lets a call go on as an MCP task. False when its client takes none, or there are too many: then the call is
 * answered as if there were no MCP tasks.
 */
export function tryBecomeTask({ becomeTask }: CallRequest, options: TaskOptions): boolean {
  if (becomeTask === undefined) return false;
  try {
    becomeTask(options);
    return true;
  } catch (error) {
    if (error instanceof FaultError) return false;
    throw error;
  }
}
