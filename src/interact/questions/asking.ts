import type { Cancellation } from "../../base/cancellation.ts";
import type { InputRequests, InputResponses } from "../../protocol/input-request.ts";

/** The part of the gateway's `AskClient` that questions need. */
export interface FormClient {
  can(kind: "form"): boolean;
  /** True where the call ends with the question, and its handler runs again with the answer. */
  readonly endsCall?: boolean;
  /** True when the call has come further than this in an earlier round. */
  readonly isReplaying?: boolean;
  ask(
    requests: InputRequests,
    options?: { readonly until?: Cancellation; readonly onTook?: (tookMs: number) => void },
  ): Promise<InputResponses>;
}

/** The data of a call that questions need. */
export interface AskingCall {
  readonly client: {
    readonly id: string;
    /** The client's own name. */
    readonly name?: string | undefined;
    /** True when no terminal and no page of this machine is for it. */
    readonly isRemote?: boolean;
    workspaceDir(): Promise<string>;
  };
  readonly cancellation: Cancellation;
  readonly ask?: FormClient;
  /** Lets the call go on as an MCP task; throws when there are too many. */
  readonly becomeTask?: (options?: {
    readonly statusMessage?: string;
    readonly ttlMs?: number;
  }) => void;
}

/** A call that asks, and how long its client waits for it. */
export interface Asking {
  readonly call: AskingCall;
  /** On the clock of `performance.now()`; undefined = no limit. */
  readonly answerAt: number | undefined;
  /** True when the handler cannot run again from its start. */
  readonly hasActed: boolean;
}
