import type { AppSupport, ClientCapabilities } from "../../protocol/client-capabilities.ts";
import type { InputRequest, InputRequests, InputResponses } from "../../protocol/input-request.ts";
import type { LogLevel, Params, ProtocolFault } from "../../protocol/json-rpc.ts";
import type { ObjectSchema } from "../../protocol/tool-types.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";

/** A tool as its server describes it: all members are kept, only the two that matter are known to be right (CN6). */
export type RawTool = Params & { readonly name: string; readonly inputSchema: ObjectSchema };

export type Era = "legacy" | "modern";

/** All that a server said of itself and offers. What the disk cache keeps. */
export interface ServerCatalogue {
  readonly era: Era;
  readonly protocolVersion: string;
  /** Undefined for a modern server that does not say. */
  readonly serverInfo?: {
    readonly name: string;
    readonly version: string;
    readonly title?: string;
  };
  readonly capabilities: Params;
  readonly instructions?: string;
  readonly tools: readonly RawTool[];
  readonly prompts: readonly (Params & { readonly name: string })[];
  readonly resources: readonly (Params & { readonly uri: string; readonly name: string })[];
  readonly templates: readonly (Params & { readonly uriTemplate: string; readonly name: string })[];
  /** How long its lists may be kept: the least of them; undefined for a legacy server. */
  readonly ttlMs?: number;
  readonly isPrivate: boolean;
  /** Whether it was told that apps are shown; absent = it was not. */
  readonly apps?: AppSupport;
  /** What was left out, one sentence each; not empty = the server is `degraded`. */
  readonly problems: readonly string[];
}

/** Tokens for one server. Made by `oauth/`; connections know nothing of how tokens are got. */
export interface ServerAuth {
  /**
   * The token to send to `target` now, refreshed when it is due; undefined when there is none, or none for there. Never
   * asks the user.
   * @throws ConnectionError when it is due and cannot be refreshed for the moment
   */
  token(target: string | URL): Promise<string | undefined>;
  /**
   * The server refused with 401 or 403. True: another token is there, try once more. False: `needs_auth`.
   * @param used the token that was refused
   * @throws ConnectionError `needs_auth` where it is known why there is none; another one for a passing reason
   */
  refused(response: Response, used: string | undefined): Promise<boolean>;
}

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

/** How messages reach one server and come back, whatever carries them. */
export interface Transport {
  readonly pid?: number;
  /** True: closing the stream of a request is its cancellation in the modern revisions (HTTP). */
  readonly hasRequestStreams: boolean;
  /**
   * Resolves when it is on its way; what is answered comes as an event.
   * @param call with a request, where requests have streams of their own: what is known of it besides
   * @throws ConnectionError
   */
  send(message: OutgoingMessage, call?: RequestRoute): Promise<void>;
  /** The revision that was agreed upon in a handshake. */
  setVersion(version: string): void;
  /** When its process last wrote to stderr, by `performance.now`; undefined when it has not. */
  lastErrorAt?(): number | undefined;
  /** Ends it in good manners. Idempotent; never rejects. */
  close(): Promise<void>;
}

export interface RequestRoute {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** For HTTP: `Mcp-Param-…`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OutgoingMessage extends Params {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
}

/** Called in the order of arrival. Must not throw. */
export interface TransportEvents {
  /** @param origin id of the request on whose stream it came, where requests have streams of their own */
  onMessage(message: unknown, origin: number | undefined): void;
  /** The answer to this request will not come. */
  onLost(id: number, error: ConnectionError): void;
  /** Not a message. */
  onStray(text: string): void;
  /** Nothing more comes or goes. Once; not after `close`. */
  onClosed(error: ConnectionError): void;
}
