import type { Writable } from "../base/values.ts";
import { isAtLeast } from "../protocol/message.ts";
import type { CallRequest, RequestContext } from "./call.ts";
import type { CallTarget } from "./call-target.ts";

interface Resolution {
  /** The tool's name here, which rules, hooks and the audit log use. */
  readonly name: string;
  readonly args: unknown;
  readonly target?: CallTarget;
}

/** A call, or another request that is put to a server. */
type Asked = RequestContext &
  Pick<CallRequest, "answerAt" | "atReply" | "becomeTask" | "closeStream" | "wantsData">;

/** The call as it is meant: under the tool's own name, for the same client and with the same ways to speak to it. */
export function resolvedCall(request: Asked, resolution: Resolution): CallRequest {
  const { version, client, cancellation, onProgress, capabilities, ask, passedMeta, wantsData } =
    request;
  const { answerAt, becomeTask, closeStream, observed } = request;
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
  if (answerAt !== undefined) call.answerAt = answerAt;
  if (becomeTask !== undefined) call.becomeTask = becomeTask;
  if (closeStream !== undefined) call.closeStream = closeStream;
  if (request.atReply !== undefined) call.atReply = (record) => request.atReply?.(record);
  if (observed !== undefined) call.observed = observed;
  return call;
}

/**
 * Whether a result of this call that has no structured content must be an error: the client was shown a schema of it, and
 * refuses, or does not show, any other. A program shows what there is.
 */
export function promisesStructure({ target, version, wantsData }: CallRequest): boolean {
  if (target?.kind !== "tool" || wantsData === true) return false;
  return target.hasOutputSchema && isAtLeast(version, "2025-06-18");
}
