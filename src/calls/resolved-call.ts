import type { CallRequest, CallTarget, RequestContext } from "./call.ts";

interface Resolution {
  /** The tool's name here: what rules, hooks and the audit log know it by. */
  readonly name: string;
  readonly args: unknown;
  readonly target?: CallTarget;
}

/** A call, or another request that is put to a server. */
type Asked = RequestContext & Pick<CallRequest, "becomeTask" | "closeStream" | "wantsData">;

/** The call as it is meant: under the tool's own name, for the same client and with the same ways to speak to it. */
export function resolvedCall(request: Asked, resolution: Resolution): CallRequest {
  const { version, client, cancellation, onProgress, capabilities, ask, passedMeta, wantsData } =
    request;
  const { becomeTask, closeStream } = request;
  const { name, args, target } = resolution;
  return {
    name,
    args,
    ...(target === undefined ? {} : { target }),
    version,
    client,
    cancellation,
    log: (level, data, logger) => request.log?.(level, data, logger),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(ask === undefined ? {} : { ask }),
    ...(passedMeta === undefined ? {} : { passedMeta }),
    ...(wantsData === undefined ? {} : { wantsData }),
    ...(becomeTask === undefined ? {} : { becomeTask }),
    ...(closeStream === undefined ? {} : { closeStream }),
  };
}
