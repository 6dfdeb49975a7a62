import type { AppSupport, ClientCapabilities } from "../../protocol/client-capabilities.ts";
import type { InputRequest, InputRequests, InputResponses } from "../../protocol/input-request.ts";
import type { Params, ProtocolFault } from "../../protocol/json-rpc.ts";
import type { LogLevel } from "../../protocol/log-level.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";
import type { ServerAuth } from "./server-auth.ts";
import type { Era, ServerCatalogue } from "./server-catalogue.ts";

/** Where to connect, with all variables filled in. */
export type Endpoint =
  | {
      readonly transport: "stdio";
      /** Starts the process anew each time: a probe that ends it costs one start. */
      readonly spawn: () => Promise<UpstreamProcess>;
      /** All of it is on this machine: it is not waited for longer than `initTimeoutMs`, whatever it writes to stderr. */
      readonly isInstalled?: boolean;
    }
  | {
      readonly transport: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Absent when the entry has an `Authorization` header of its own. */
      readonly auth?: ServerAuth;
    };

export interface RootsOffer {
  /** True: those of the client whose call it is working on, where there is one. */
  readonly isAsked: boolean;
  /** What is told otherwise. */
  readonly known: () => readonly { readonly uri: string; readonly name: string }[];
}

export interface ConnectOptions {
  readonly server: string;
  readonly endpoint: Endpoint;
  readonly era: "auto" | "legacy" | "modern";
  /** What an earlier run found: no probe is made. A modern server that no longer is one is probed again. */
  readonly knownEra?: Era;
  readonly initTimeoutMs: number;
  /** What this server may ever ask of clients. */
  readonly mayAsk: { readonly sampling: boolean; readonly elicitation: boolean };
  /** The folders that it is told of; undefined = it may not ask. */
  readonly roots?: RootsOffer;
  readonly product: { readonly name: string; readonly version: string };
  /** Its clients show the apps of servers: told at the handshake. */
  readonly apps?: AppSupport;
  /** Whether any client does: told to a stateless server with requests for its lists. */
  readonly listApps?: () => AppSupport | undefined;
}

/** Told what nobody asked for. Must not throw. */
export interface ConnectionEvents {
  onListChanged(list: "tools" | "prompts" | "resources"): void;
  onResourceUpdated(uri: string): void;
  onLog(level: LogLevel, data: unknown, logger: string | undefined): void;
  /** A line on stdout that is no message, a late or unknown answer: counted, and kept in the server's log. */
  onStray(text: string): void;
  /** Once; not after `close`. */
  onClosed(reason: string): void;
}

export interface ConnectionRequest {
  readonly method: "tools/call" | "resources/read" | "prompts/get" | "completion/complete";
  readonly params: Params;
  /** True: the server takes this call as a task only, as its definition says. */
  readonly mustBeTask?: boolean;
  readonly capabilities: ClientCapabilities;
  /** Whose request it is: questions that may be of several requests are put to no other client. */
  readonly clientId?: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Without progress for so long it is given up as well. */
  readonly idleMs: number;
  readonly inputResponses?: InputResponses;
  readonly requestState?: string;
  readonly onProgress?: (
    progress: number,
    total: number | undefined,
    message: string | undefined,
  ) => void;
  readonly ask: (request: InputRequest) => Promise<Params>;
  readonly onLog?: (level: LogLevel, data: unknown, logger: string | undefined) => void;
}

export type ConnectionReply =
  /** As the server sent it, `resultType` removed; nothing of it has been checked. */
  | { readonly kind: "result"; readonly result: unknown }
  | {
      readonly kind: "input-required";
      readonly requests: InputRequests;
      readonly requestState?: string;
    }
  | { readonly kind: "fault"; readonly fault: ProtocolFault };

/** Why a connection or a request failed, beyond what the server itself answered. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  /**
   * @param failure `refused`: an HTTP status that no retry mends; `busy`: 429 or 503
   * @param retryAfterMs what the server said, at most a minute
   */
  constructor(
    readonly failure:
      | "cancelled"
      | "timeout"
      | "lost"
      | "unreachable"
      | "needs_auth"
      | "refused"
      | "busy"
      | "protocol"
      | "too_large",
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** One connection to one server, of either era. */
export interface UpstreamConnection {
  readonly era: Era;
  /** Undefined for HTTP. */
  readonly pid?: number;
  /** Reads all lists (CN5, CN6). */
  readCatalogue(signal: AbortSignal): Promise<ServerCatalogue>;
  /** @throws ConnectionError */
  request(request: ConnectionRequest): Promise<ConnectionReply>;
  /** A server of the older revisions may ask for the folders again. */
  tellRootsChanged(): void;
  /** The cheapest request there is; an error answer counts as alive (CN13). @throws ConnectionError */
  ping(signal: AbortSignal): Promise<void>;
  /** False when the server knows no subscriptions. @throws ConnectionError */
  subscribe(uri: string): Promise<boolean>;
  unsubscribe(uri: string): Promise<void>;
  /** Ends it in good manners: stdin closed, session deleted. The process is ended by its owner. */
  close(): Promise<void>;
}

/** Connects, negotiates; the lists are read afterwards. @throws ConnectionError */
export type OpenConnection = (
  options: ConnectOptions,
  events: ConnectionEvents,
  signal: AbortSignal,
) => Promise<UpstreamConnection>;
