import { setTimeout as sleep } from "node:timers/promises";

import type { Abortable } from "../base/cancellation.ts";
import { upstreamSearchWaitMs, upstreamToolsWaitMs } from "../base/upstream-limits.ts";
import type { JsonText } from "../base/weight.ts";
import type { AppSupport, ClientCapabilities } from "../protocol/client-capabilities.ts";
import type { InputRequest, InputRequests, InputResponses } from "../protocol/input-request.ts";
import type { LogLevel, Params, ProtocolFault } from "../protocol/json-rpc.ts";
import type { ProtocolVersion } from "../protocol/message.ts";
import type { ConfiguredServer } from "./config/server-entry.ts";
import type { LoginPageReply, LoginPageRequest } from "./login-page.ts";
import {
  type AskedCatalogue,
  type Installing,
  type InstallOutcome,
  isComing,
  type ServerInfo,
  type TriedServer,
} from "./server-state.ts";
import type { SearchedTool, UpstreamSnapshot } from "./snapshot.ts";

/** Requests of the main thread to the Worker that holds all connections to upstream servers. */

/** A request to a server. */
export interface UpstreamCall {
  readonly server: string;
  readonly method: "tools/call" | "resources/read" | "prompts/get" | "completion/complete";
  /** The parameters for that server, with `_meta` (trace keys), without a progress token. */
  readonly params: Params;
  /** The calling client, for servers that are not shared (IS5). */
  readonly clientId: string;
  readonly workspace?: string;
  /** The principal that it belongs to; absent for the user of this machine. */
  readonly owner?: string;
  /** The signed token with which the principal has come, for entries that trade it; never sent to the server. */
  readonly identity?: string;
  /** The client's capabilities, which a modern server gets with the request. */
  readonly capabilities: ClientCapabilities;
  /** True when the client asked for progress. */
  readonly wantsProgress: boolean;
  /** Wall limit; the idle limit is the server's (CA4). */
  readonly timeoutMs: number;
  /** For `tools/call`: the client's revision, which decides the form of the result; absent: the newest. */
  readonly version?: ProtocolVersion;
  /** The client's limit of characters in a result; the server's entry may override it (CA13, CA14). */
  readonly resultCharsMax: number;
  /** The client refuses a successful result without structured content. */
  readonly promisesStructure?: boolean;
  /** The answers to an `input-required` of this server, and the state that it gave, unchanged. */
  readonly inputResponses?: InputResponses;
  readonly requestState?: string;
}

/** A result that was too long for its client, in a file. */
export interface SavedResultRecord {
  /** The name of the file, without `.txt`. */
  readonly resultId: string;
  readonly path: string;
  /** The first byte that was left out. */
  readonly from: number;
  readonly bytes: number;
}

export interface UpstreamCallEvents {
  onProgress?(progress: number, total: number | undefined, message: string | undefined): void;
  /**
   * A legacy server asks the client during its call. Resolves with the answer.
   * @throws AppError when the answer is an error
   */
  ask(request: InputRequest): Promise<Params>;
  log?(level: LogLevel, data: unknown, logger: string | undefined): void;
  /** Registers a result that was cut; returns the background task through which its client reads the rest. */
  keep?(output: SavedResultRecord): Promise<number | undefined>;
}

export type UpstreamReply =
  /**
   * The result object as JSON text, checked, cleaned and bounded; a tool's result has the form of the call's revision.
   * For `tools/call` and `resources/read` a saved result has the full text.
   */
  | { readonly kind: "result"; readonly json: JsonText }
  /** A modern server wants answers first. */
  | {
      readonly kind: "input-required";
      readonly requests: InputRequests;
      readonly requestState?: string;
    }
  /** The server answered with a JSON-RPC error. */
  | { readonly kind: "fault"; readonly fault: ProtocolFault }
  /** The call failed without an answer: `text` names the server, the reason and what to do (an `isError` result). */
  | { readonly kind: "failed"; readonly text: string; readonly reason: FailureReason };

/** Why a call failed; hooks of `api_error` get it as well. */
export type FailureReason =
  | "untrusted"
  | "needs_config"
  | "needs_auth"
  | "unreachable"
  | "backoff"
  | "circuit_open"
  | "connection_lost"
  | "timeout"
  | "invalid_arguments"
  | "malformed"
  | "too_large"
  | "blocked"
  | "worker";

export interface SearchQuery {
  readonly query: string;
  readonly limit?: number;
  readonly server?: string;
  /** The only servers that are searched and mentioned; absent: all. */
  readonly servers?: readonly string[];
  readonly detail?: "schema" | "summary" | "name";
  readonly readOnly?: boolean;
  readonly explain?: boolean;
  /** The limit of characters in the answer. */
  readonly charsMax: number;
}

/** Events of the Worker, which bounds and coalesces them. */
export type UpstreamEvent =
  /** A new snapshot, with the lists that have changed. */
  | {
      readonly kind: "snapshot";
      readonly changed: readonly ("tools" | "prompts" | "resources" | "servers")[];
    }
  /** `uri` is scorpiox-code's own. */
  | { readonly kind: "resource-updated"; readonly uri: string }
  /** An upstream failed outside of a call, or a call failed: hooks of `api_error`. */
  | {
      readonly kind: "failure";
      readonly server: string;
      readonly reason: FailureReason;
      readonly text: string;
    }
  /** A package is being fetched for a command (`ask`, `try`). */
  | { readonly kind: "installing"; readonly server: string; readonly installing: Installing }
  /** For people: goes to stderr. */
  | { readonly kind: "notice"; readonly text: string };

/** The folders in which a client works. */
export interface ClientPlace {
  /** Null without a project. */
  readonly projectDir: string | null;
  /** The roots that the client offers, in order; may be empty. */
  readonly folders: readonly string[];
}

/** The client capabilities with which a server is asked. */
export interface AskedAs {
  /**
   * With those of the clients that used it last: a server may offer more to clients that show apps, and the user must
   * see and approve that. Absent: without apps, so that the answer is the same on each machine.
   */
  readonly asLastHeard?: true;
}

/** Requests about servers besides calls: of lists, of the parts that follow the clients, and of commands (CN18). */
export type UpstreamControl =
  | { readonly kind: "connect"; readonly server: string; readonly waitMs: number }
  /** The client has moved to other folders, or another project. */
  | ({ readonly kind: "switch-project" } & ClientPlace)
  /** From now on several principals are served: resolves when none of them uses a shared connection any more (IS5). */
  | { readonly kind: "several-principals" }
  /** A client shows the apps of servers. */
  | { readonly kind: "show-apps"; readonly apps: AppSupport }
  /** A page on which a principal logs in. */
  | { readonly kind: "login-page"; readonly request: LoginPageRequest }
  /** Whole definitions of tools, hidden ones included. */
  | { readonly kind: "tools"; readonly server?: string }
  /** Reads all that a server offers over a separate connection; keeps and approves nothing. May start the server. */
  | ({ readonly kind: "ask"; readonly server: ConfiguredServer } & AskedAs)
  /** Fetches the package of a server, which must be allowed to start. */
  | { readonly kind: "install"; readonly server: ConfiguredServer }
  /** Starts a server as a running scorpiox-code would, reports the result, and ends it. */
  | { readonly kind: "try"; readonly server: ConfiguredServer };

/** The reply to each of them. */
interface ControlReplies {
  readonly connect: ServerInfo;
  readonly "switch-project": void;
  readonly "several-principals": void;
  readonly "show-apps": void;
  /** Undefined: there are no such pages. */
  readonly "login-page": LoginPageReply | undefined;
  readonly tools: readonly SearchedTool[];
  readonly ask: AskedCatalogue;
  readonly install: InstallOutcome;
  readonly try: TriedServer;
}

export type ControlReplyTo<Asked extends UpstreamControl> = ControlReplies[Asked["kind"]];

/** All upstream servers, as the main thread sees them. */
export interface Upstreams {
  /** The newest; undefined before the first. */
  readonly snapshot: UpstreamSnapshot | undefined;
  /**
   * The first complete snapshot, or the current one after `waitMs`. Starts the Worker if necessary. Never rejects
   * because of a server. @param isEnough replaces the test for completeness
   */
  settled(
    waitMs: number,
    isEnough?: (snapshot: UpstreamSnapshot) => boolean,
  ): Promise<UpstreamSnapshot>;
  /** Rejects with AppError `cancelled` only; all else is in the reply. */
  call(call: UpstreamCall, events: UpstreamCallEvents, signal: Abortable): Promise<UpstreamReply>;
  /**
   * Undefined when the arguments match the tool's schema, else the faults (CA1); used before rules and hooks see the
   * call. `call` checks as well, for calls that skip this.
   */
  checkArguments(
    server: string,
    tool: string,
    args: unknown,
    signal: Abortable,
  ): Promise<string | undefined>;
  /** The result object of `tool_search`, as `UpstreamReply.result` (text and structured content). */
  search(query: SearchQuery, signal: Abortable): Promise<JsonText>;
  /** @throws AppError `cancelled` when `signal` aborts */
  control<Asked extends UpstreamControl>(
    control: Asked,
    signal?: Abortable,
  ): Promise<ControlReplyTo<Asked>>;
  infoList(): Promise<readonly ServerInfo[]>;
  /** `uri` is scorpiox-code's own. Resolves with whether the server supports it. */
  subscribe(uri: string, clientId: string): Promise<boolean>;
  unsubscribe(uri: string, clientId: string): void;
  /** The client is gone: stops everything that served only that client. */
  endClient(clientId: string): void;
  listen(listener: (event: UpstreamEvent) => void): () => void;
  /** Ends all connections and all processes; within two seconds. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Waits, for half a minute at most, until the offer of each server is known, or the reason why it is not. Lists do not
 * wait for servers that never answered before; here they get a few seconds, or the full time when one is asked for by
 * name. Never rejects because of a server.
 * @param server undefined: all
 */
export async function awaitServers(upstreams: Upstreams, server?: string): Promise<void> {
  await upstreams.settled(upstreamToolsWaitMs);
  const starting = (await upstreams.infoList()).filter(({ name, state, era }) => {
    return isComing(state) && era === null && (server === undefined || name === server);
  });
  const waitMs = server === undefined ? upstreamSearchWaitMs : upstreamToolsWaitMs;
  const waits = starting.map(({ name }) => {
    return upstreams.control({ kind: "connect", server: name, waitMs });
  });
  // A server that was removed from the configuration meanwhile does not matter.
  await Promise.allSettled(waits);
  if (starting.length > 0) await caughtUp(upstreams);
}

/** Waits for the snapshot, which arrives a moment after the states that it reports. */
async function caughtUp(upstreams: Upstreams): Promise<void> {
  const deadline = performance.now() + snapshotLagMsMax;
  const infos = await upstreams.infoList();
  const known = infos.filter(({ state }) => !isComing(state)).map(({ name }) => name);
  const isBehind = ({ servers = [] }: Partial<UpstreamSnapshot> = {}): boolean =>
    servers.some(({ name, state }) => isComing(state) && known.includes(name));
  while (isBehind(upstreams.snapshot) && performance.now() < deadline) await sleep(lookMs);
}

/** Far more than a snapshot takes. */
const snapshotLagMsMax = 2_000;
const lookMs = 10;
