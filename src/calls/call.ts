import type { Cancellation } from "../base/cancellation.ts";
import type { Person } from "../base/person.ts";
import type { ReplyRecord } from "../base/reply-record.ts";
import type { ClientCapabilities } from "../protocol/client-capabilities.ts";
import type { InputRequests } from "../protocol/input-request.ts";
import type { LogLevel, Params, ProtocolFault } from "../protocol/json-rpc.ts";
import type { ProtocolVersion } from "../protocol/message.ts";
import type { ToolListing } from "../protocol/tool-types.ts";
import type { AskClient } from "./ask-client.ts";
import type { ObservedRequest } from "./call-observer.ts";
import type { CallTarget } from "./call-target.ts";

/** How long and how much a client takes, from the client-budget table. */
export interface ClientLimits {
  /** A foreground call answers by then with its output so far; 0 = never handed over. */
  readonly answerMs: number;
  /** Characters of text in one result. */
  readonly resultCharsMax: number;
  /** The client hides tools from its model by itself until they are searched for: it is given all of them. */
  readonly hidesTools?: boolean;
  /**
   * The part of a result that its model sees: `structuredContent` alone where there is any, the content alone, or both. Absent: not
   * known, so each of the two must do.
   */
  readonly shows?: "json" | "text" | "both";
}

/** The folders of one principal. */
export interface OwnPlace {
  /** Its workspace. */
  readonly work: string;
  /** Files that the server keeps for it, such as plans; its commands cannot change them. */
  readonly records: string;
}

/**
 * Whom a call is for. Live state (background tasks, read cursors) hangs on `id`:
 * the stdio process, the legacy HTTP session, or the modern HTTP principal.
 */
export interface ClientContext {
  readonly id: string;
  readonly limits: ClientLimits;
  /** The name that it gives itself (`clientInfo.name`): outside text, never its identity. */
  readonly name?: string | undefined;
  /** Where commands run: the client's first root, else `--cwd`, else the process's directory, else home. */
  workspaceDir(): Promise<string>;
  /** The folder of `workspaceDir` as far as it is known, without asking anybody; absent where it never changes. */
  readonly workspaceNow?: () => string;
  /** The folder of `workspaceDir` if nobody has to be asked for it; undefined when somebody has. */
  readonly workspaceKnown?: () => string | undefined;
  /** The folders that the client offers, absolute; absent when it offers none. */
  roots?(): Promise<readonly string[]>;
  /** Whose tasks and plans it sees: the id of a principal; absent for the user of this machine. */
  readonly owner?: string;
  /**
   * Where several principals are served: the folders of this one, in which it works whatever roots it names. Its commands write
   * to `work` while the server looks: nothing there is read by path outside of their sandbox. Absent or undefined: the
   * folders that clients name.
   */
  readonly ownPlace?: () => OwnPlace | undefined;
  /** The signed token of its newest request, where an entry trades it; undefined when it came with another kind. */
  readonly identity?: () => string | undefined;
  /** Names the workspace in the place of its folder (`--workspace`). */
  readonly workspaceName?: string;
  /** True for a client that may sit elsewhere: no page and no terminal of this machine is for it. */
  readonly isRemote?: boolean;
  /** Absent when all tools may be used: which ones the principal's scopes allow. */
  readonly mayUse?: (toolName: string) => boolean;
  /** The person behind it, for rules; absent where nobody is known: stdin and stdout, HTTP without tokens, the command line. */
  readonly person?: Person;
  /** The upstream servers that exist for it; absent: all. */
  readonly servers?: ReadonlySet<string>;
}

/** A step of the work: text alone (scorpiox-code sets numbers and rate), or numbers of the worker's own. */
export type ProgressUpdate =
  string | { readonly progress: number; readonly total?: number; readonly message?: string };

/** The context of every handler of a long request: `tools/call`, `resources/read`, `prompts/get`. */
export interface RequestContext {
  /** The revision whose shape the result must have. */
  readonly version: ProtocolVersion;
  readonly client: ClientContext;
  readonly capabilities?: ClientCapabilities;
  /** Cancelled when the client cancels or goes. */
  readonly cancellation: Cancellation;
  /** Present only when the request carried a progress token. */
  readonly onProgress?: (update: ProgressUpdate) => void;
  /** Sends `notifications/message` for this request, if the client wants that level. */
  log?(level: LogLevel, data: unknown, logger?: string): void;
  /** Absent when nobody can be asked, as on the command line. */
  readonly ask?: AskClient;
  /** The part of its `_meta` that is passed on: trace keys, and keys of vendors (docs/spec/modern.md#meta-keys). */
  readonly passedMeta?: Params | undefined;
  /** Present while observers watch it: where it goes is noted here. */
  readonly observed?: ObservedRequest | undefined;
}

/** One `tools/call`, whatever transport it came by. */
export interface CallRequest extends RequestContext {
  readonly name: string;
  /** `params.arguments` as received; undefined when absent. */
  readonly args: unknown;
  /** Where it goes when it is for none of our own tools; set before the gate sees the call. */
  readonly target?: CallTarget;
  /** When the client must have the answer, on the clock of `performance.now()`; undefined when it waits forever. */
  readonly answerAt?: number | undefined;
  /** The caller is a program: it gets the data of the result too (`dataJson`), where a client gets the text alone. */
  readonly wantsData?: boolean;
  /**
   * Present when the client takes MCP tasks: from the first time it is called the client has been answered
   * with a task, and the outcome becomes the task's. Nothing but the task can cancel the call then.
   */
  readonly becomeTask?: (options?: TaskOptions) => void;
  /**
   * Present on a resumable stream (HTTP, 2025-11-25): ends the response now; the client comes back for the rest.
   */
  readonly closeStream?: () => void;
  /** Takes the record of this call's reply. Absent: nobody knows when that goes out. */
  readonly atReply?: (record: ReplyRecord) => void;
}

export interface TaskOptions {
  readonly statusMessage?: string;
  /** How long the task stays readable after it was made; null = as long as the server lives. */
  readonly ttlMs?: number | null;
  readonly pollIntervalMs?: number;
}

/**
 * Why a call was not made: a rule (`denied`), a hook (`vetoed`), the user who has not said yes or logged in yet (`pending`),
 * or the call itself (`invalid`: there is no such tool, or it takes other arguments). For exit codes; clients do not learn it.
 */
export type CallRefusal = "denied" | "vetoed" | "pending" | "invalid";

export type CallOutcome =
  /** `json` is the result object as JSON text, already shaped for the request's version. */
  | {
      readonly kind: "result";
      readonly json: string;
      /** The data of the result as JSON text: for programs that asked for it, never for clients. */
      readonly dataJson?: string;
      readonly refusal?: CallRefusal;
      /** The call goes on, and says how it ends in another way. */
      readonly isInterim?: true;
    }
  | { readonly kind: "fault"; readonly fault: ProtocolFault; readonly refusal?: CallRefusal }
  /** The client has to answer first; `requestState` is sealed (docs/spec/modern.md#questions). */
  | {
      readonly kind: "input-required";
      readonly requests: InputRequests;
      readonly requestState: string;
    }
  /** Nobody waits for it any more: nothing is sent. */
  | { readonly kind: "cancelled" };

/** Whether a call may, or must, be answered with an MCP task when the client takes tasks. */
export type TaskSupport = "none" | "optional" | "required";

/** Lists tools and runs calls; knows nothing of connections. */
export interface ToolProvider {
  /** The tools that are built and not switched off, in catalogue order. */
  list(): readonly ToolListing[];
  /**
   * The tools as they are listed for this client: the names of `list`, with descriptions of its own; absent = as `list`.
   * The same array as long as nothing has changed. `version`: the revision in which the client asks;
   * `showsApps`: it has declared that it shows the apps of servers, whose own tools it gets too.
   */
  listFor?(
    client: ClientContext,
    version?: ProtocolVersion,
    showsApps?: boolean,
  ): Promise<readonly ToolListing[]>;
  /** Rejects only with `InputNeeded` and `FaultError` of its handlers. */
  call(request: CallRequest): Promise<CallOutcome>;
  /** A client says what it can do, before it asks for a list or a call. */
  meet?(capabilities: ClientCapabilities): void;
  /** Absent: no tool becomes an MCP task. */
  taskSupport?(toolName: string): TaskSupport;
  /** True when it takes names that are not in `list`: tools of upstream servers, which may become MCP tasks. */
  readonly takesOtherNames?: boolean;
}

/** Applies the stages of the gate to the outcome of a call that was answered before it ended (`isInterim`). Never rejects. */
export type AfterStages = (outcome: CallOutcome) => Promise<CallOutcome>;

/** Makes the calls that the gate has let through. */
export interface CallMaker {
  /** Rejects only with `InputNeeded` and `FaultError` of the tool's handler. */
  call(request: CallRequest, afterStages: AfterStages): Promise<CallOutcome>;
}
