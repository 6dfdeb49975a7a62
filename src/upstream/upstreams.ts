import { setTimeout as sleep } from "node:timers/promises";

import { upstreamSearchWaitMs, upstreamToolsWaitMs } from "../base/upstream-limits.ts";
import type { JsonText } from "../base/weight.ts";
import type { AppSupport, ClientCapabilities } from "../protocol/client-capabilities.ts";
import type { InputRequest, InputRequests, InputResponses } from "../protocol/input-request.ts";
import type { LogLevel, Params, ProtocolFault } from "../protocol/json-rpc.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";
import type { ConfiguredServer } from "./config/server-entry.ts";
import { isComing, type ServerInfo } from "./server-state.ts";
import type { UpstreamSnapshot } from "./snapshot.ts";

/** What the main thread may ask of the Worker that holds all connections to other servers. */

/** Something that a server is asked for. */
export interface UpstreamCall {
  readonly server: string;
  readonly method: "tools/call" | "resources/read" | "prompts/get" | "completion/complete";
  /** As that server wants it, `_meta` included (trace keys), without a progress token. */
  readonly params: Params;
  /** Whose call it is, for servers that are not shared (IS5). */
  readonly clientId: string;
  readonly workspace?: string;
  /** The principal that it belongs to; absent for the user of this machine. */
  readonly owner?: string;
  /** What the client can be asked for: told to a modern server with the request. */
  readonly capabilities: ClientCapabilities;
  /** True when somebody wants to hear of progress. */
  readonly wantsProgress: boolean;
  /** Wall limit; the idle limit is the server's (CA4). */
  readonly timeoutMs: number;
  /** For `tools/call`: the revision whose shape the result gets; absent: the newest. */
  readonly version?: ProtocolVersion;
  /** Characters of a result that the client takes; the server's entry may say something else (CA13, CA14). */
  readonly resultCharsMax: number;
  /** The client refuses a result that has no structured content and is no error. */
  readonly promisesStructure?: boolean;
  /** The answers to an `input-required` of this server, and the state that it gave, unchanged. */
  readonly inputResponses?: InputResponses;
  readonly requestState?: string;
}

/** A result that was too long for its client, in a file. */
export interface KeptResult {
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
   * A legacy server asks in the middle of its call. Resolves with the answer.
   * @throws AppError when the answer is an error
   */
  ask(request: InputRequest): Promise<Params>;
  log?(level: LogLevel, data: unknown, logger: string | undefined): void;
  /** A result was cut: gives the background task of its client by which it is read on. */
  keep?(output: KeptResult): Promise<number | undefined>;
}

export type UpstreamReply =
  /**
   * The result object as JSON text, of a tool in the shape of the call's revision, checked, cleaned and bounded; for
   * `tools/call` and `resources/read` what was cut is in a file of the saved results.
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
  /** It could not be asked or did not answer: `text` says which server, what happened, what to do (an `isError` result). */
  | { readonly kind: "failed"; readonly text: string; readonly reason: FailureReason };

/** Also what hooks of `api_error` are told. */
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
  readonly detail?: "schema" | "summary" | "name";
  readonly readOnly?: boolean;
  readonly explain?: boolean;
  /** Characters that the answer may have. */
  readonly charsMax: number;
}

/** Told as they happen; bounded and coalesced in the Worker. */
export type UpstreamEvent =
  /** A new snapshot is there; says which lists have changed. */
  | {
      readonly kind: "snapshot";
      readonly changed: readonly ("tools" | "prompts" | "resources" | "servers")[];
    }
  /** `uri` is ours. */
  | { readonly kind: "resource-updated"; readonly uri: string }
  /** An upstream failed outside of a call, or a call failed: hooks of `api_error`. */
  | {
      readonly kind: "failure";
      readonly server: string;
      readonly reason: FailureReason;
      readonly text: string;
    }
  /** For people: goes to stderr. */
  | { readonly kind: "notice"; readonly text: string };

/** Where a client works. */
export interface ClientPlace {
  /** Null where there is no project. */
  readonly projectDir: string | null;
  /** All that it offers, the first first; none when it offers nothing. */
  readonly folders: readonly string[];
}

/** How a server is asked. */
export interface AskedAs {
  /**
   * As the clients that it was last used by: it may offer more to those that show apps, and what of that was found is to be
   * seen and approved. Absent: as by clients that do not, so that the answer is the same on each machine.
   */
  readonly asLastHeard?: true;
}

/** What the command line, and `attach`, may ask for (CN18). */
export type UpstreamControl =
  | { readonly kind: "info" }
  | { readonly kind: "connect"; readonly server: string; readonly waitMs: number }
  | { readonly kind: "disconnect"; readonly server: string }
  | { readonly kind: "switch-workspace"; readonly workspace: string | null }
  /** The client works elsewhere now: in which project, and in which folders. */
  | ({ readonly kind: "switch-project" } & ClientPlace)
  /** From now on several principals are served: resolves when none of them is left on a connection of all (IS5). */
  | { readonly kind: "several-principals" }
  /** A client shows the apps of servers. */
  | { readonly kind: "show-apps"; readonly apps: AppSupport }
  /** Whole definitions of tools, hidden ones included. */
  | { readonly kind: "tools"; readonly server?: string }
  /** All that a server offers, over a connection of its own; nothing is kept or approved. It may be started. */
  | ({ readonly kind: "ask"; readonly server: ConfiguredServer } & AskedAs)
  /** Fetches what a server is started from (`InstallOutcome`). It may be started. */
  | { readonly kind: "install"; readonly server: ConfiguredServer }
  /** Starts a server as a running program would, says how that went (`TriedServer`), and ends it. */
  | { readonly kind: "try"; readonly server: ConfiguredServer };

/** All other servers, as the main thread sees them. */
export interface Upstreams {
  /** The newest; undefined before the first. */
  readonly snapshot: UpstreamSnapshot | undefined;
  /**
   * The first snapshot that is complete, or what there is after `waitMs`. Starts the Worker when that has not been done.
   * Never rejects because of a server.
   * @param isEnough in the place of "complete"
   */
  settled(
    waitMs: number,
    isEnough?: (snapshot: UpstreamSnapshot) => boolean,
  ): Promise<UpstreamSnapshot>;
  /** Rejects with AppError `cancelled` only; all else is in the reply. */
  call(call: UpstreamCall, events: UpstreamCallEvents, signal: AbortSignal): Promise<UpstreamReply>;
  /**
   * The arguments are what the tool's schema wants, or why not (CA1): asked before rules and hooks see the call. `call`
   * does the same by itself, for calls that nobody else looks at.
   */
  checkArguments(
    server: string,
    tool: string,
    args: unknown,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** The result object of `tool_search`, as `UpstreamReply.result` (text and structured content). */
  search(query: SearchQuery, signal: AbortSignal): Promise<JsonText>;
  /** @throws AppError `cancelled` when `signal` aborts */
  control(control: UpstreamControl, signal?: AbortSignal): Promise<unknown>;
  infoList(): Promise<readonly ServerInfo[]>;
  /** `uri` is ours; says whether the server can. */
  subscribe(uri: string, clientId: string): Promise<boolean>;
  unsubscribe(uri: string, clientId: string): void;
  /** The client is gone: what was only for it is stopped. */
  endClient(clientId: string): void;
  listen(listener: (event: UpstreamEvent) => void): () => void;
  /** Ends all connections and all processes; within two seconds. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Waits until it is known of each server what it offers, or why that is not known: for half a minute at most. Those that
 * were tried before and never heard of are not awaited by lists: here for some seconds, and as long as any other when one is
 * asked for by name. Never rejects because of a server.
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
  // One that has gone from the configuration meanwhile is nobody's loss.
  await Promise.allSettled(waits);
  if (starting.length > 0) await caughtUp(upstreams);
}

/** A snapshot comes a moment after what it tells of. */
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
