import { Cancellation } from "../base/cancellation.ts";
import type { ClientContext } from "../gateway/call.ts";
import type { Params, RequestId } from "../protocol/json-rpc.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { ProgressReporter } from "./progress.ts";

/** One request from its arrival to its reply. Owned by the dispatcher. */
export class ActiveRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params | undefined;
  readonly version: ProtocolVersion;
  readonly client: ClientContext;
  /** Ends with the request: nothing for its token is sent after the reply. */
  progress: ProgressReporter | undefined;
  /** Cancelled by `cancel`. */
  readonly cancellation = new Cancellation();

  constructor(
    message: {
      readonly id: RequestId;
      readonly method: string;
      readonly params: Params | undefined;
    },
    version: ProtocolVersion,
    client: ClientContext,
  ) {
    this.id = message.id;
    this.method = message.method;
    this.params = message.params;
    this.version = version;
    this.client = client;
  }

  get isCancelled(): boolean {
    return this.cancellation.isCancelled;
  }

  /** Stops the work. From here on nothing mentions the request's id or token. */
  cancel(): void {
    this.progress?.stop();
    this.cancellation.cancel();
  }
}
