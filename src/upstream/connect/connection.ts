import type { Abortable } from "../../base/cancellation.ts";
import type { AppSupport, ClientCapabilities } from "../../protocol/client-capabilities.ts";
import type { InputRequest, InputRequests, InputResponses } from "../../protocol/input-request.ts";
import type { LogLevel, Params, ProtocolFault } from "../../protocol/json-rpc.ts";
import type { ObjectSchema } from "../../protocol/tool-types.ts";
import type { UpstreamProcess } from "../process/upstream-process.ts";
import type { ProxyOf } from "./client-proxy.ts";

/** A tool as its server describes it: all members are kept, but only these two are checked (CN6). */
export type RawTool = Params & { readonly name: string; readonly inputSchema: ObjectSchema };

export type Era = "legacy" | "modern";

/** The description of a server and of everything that it offers. The disk cache keeps it. */
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
  /** How long its lists may be kept: the minimum over the lists; undefined for a legacy server. */
  readonly ttlMs?: number;
  readonly isPrivate: boolean;
  /** The support for apps that was declared to it; absent: none. */
  readonly apps?: AppSupport;
  /** The entries that were dropped, one sentence each; not empty: the server is `degraded`. */
  readonly problems: readonly string[];
}

/** Tokens for one server. Made by `oauth/`; connections do not know how tokens are obtained. */
export interface ServerAuth {
  /**
   * The token to send to `target` now, refreshed when it is due; undefined when there is none for this target. Never
   * asks the user.
   * @throws ConnectionError when it is due and cannot be refreshed at the moment
   */
  token(target: string | URL): Promise<string | undefined>;
  /**
   * The server refused with 401 or 403. True: a new token is available, try once more. False: `needs_auth`.
   * @param used the token that was refused
   * @throws ConnectionError `needs_auth` when the reason is known; another failure for a temporary reason
   */
  refused(response: Response, used: string | undefined): Promise<boolean>;
}

/** The address of a server, with all variables filled in. */
export type Endpoint =
  | {
      readonly transport: "stdio";
      /** Starts a new process each time: a probe that ends it costs one start. */
      readonly spawn: () => Promise<UpstreamProcess>;
      /**
       * The server is fully installed on this machine: connecting takes at most `initTimeoutMs`, whatever the server
       * writes to stderr.
       */
      readonly isInstalled?: boolean;
    }
  | {
      readonly transport: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Absent when the entry has its own `Authorization` header. */
      readonly auth?: ServerAuth;
      /** Absent: the proxies of this process's environment. */
      readonly proxyOf?: ProxyOf;
    };

export interface RootsOffer {
  /** True: ask the client of the running call, if there is one. */
  readonly isAsked: boolean;
  /** The folders for all other cases. */
  readonly known: () => readonly { readonly uri: string; readonly name: string }[];
}

export interface ConnectOptions {
  readonly server: string;
  readonly endpoint: Endpoint;
  readonly era: "auto" | "legacy" | "modern";
  /** The era that an earlier run found: no probe is made. A modern server that is no longer modern is probed again. */
  readonly knownEra?: Era;
  readonly initTimeoutMs: number;
  /** The rights of this server to ask clients. */
  readonly mayAsk: { readonly sampling: boolean; readonly elicitation: boolean };
  /** The folders that it learns of; undefined: it may not ask. */
  readonly roots?: RootsOffer;
  readonly product: { readonly name: string; readonly version: string };
  /** Its clients show servers' apps: declared in the handshake. */
  readonly apps?: AppSupport;
  /**
   * Clients that know nothing of each other use this connection: a question is put to one of them only when it cannot
   * belong to another, and the lists that one has just read serve the others too.
   */
  readonly servesSeveral?: boolean;
  /** Whether any client shows apps: declared to a modern server in requests for its lists. */
  readonly listApps?: () => AppSupport | undefined;
}

/**
 * The calls that a question may belong to: those that the server works on (`running`), one of them or one that another
 * client has `left`, or `nothing`, because the server has answered all calls.
 */
export type QuestionOrigin = "running" | "left" | "nothing";

/** Receives unsolicited messages. Must not throw. */
export interface ConnectionEvents {
  onListChanged(list: "tools" | "prompts" | "resources"): void;
  onResourceUpdated(uri: string): void;
  onLog(level: LogLevel, data: unknown, logger: string | undefined): void;
  /** A line on stdout that is not a message, or a late or unknown answer: counted, and kept in the server's log. */
  onStray(text: string): void;
  /** The server asks its client, in a message that does not say for which call. */
  onAsked?(about: QuestionOrigin): void;
  /** Once; not after `close`. */
  onClosed(reason: string): void;
}

export interface ConnectionRequest {
  readonly method: "tools/call" | "resources/read" | "prompts/get" | "completion/complete";
  readonly params: Params;
  /** True: the server accepts this call only as a task, as its definition says. */
  readonly mustBeTask?: boolean;
  readonly capabilities: ClientCapabilities;
  /** The client that made the request: a question that may belong to several requests is put to no other client. */
  readonly clientId?: string;
  readonly signal: Abortable;
  readonly timeoutMs: number;
  /** A request without progress for so long is cancelled too. */
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
  /** As the server sent it, without `resultType`; nothing in it has been checked. */
  | { readonly kind: "result"; readonly result: unknown }
  | {
      readonly kind: "input-required";
      readonly requests: InputRequests;
      readonly requestState?: string;
    }
  | { readonly kind: "fault"; readonly fault: ProtocolFault };

/** The reason why a connection or a request failed, apart from the server's own error answers. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";

  /**
   * @param failure `refused`: an HTTP status that no retry fixes; `busy`: 429 or 503
   * @param retryAfterMs from the server, at most a minute
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
export interface UpstreamConnection extends AsyncDisposable {
  readonly era: Era;
  /** Undefined for HTTP. */
  readonly pid?: number;
  /** Reads all lists (CN5, CN6). */
  readCatalogue(signal: AbortSignal): Promise<ServerCatalogue>;
  /** @throws ConnectionError */
  request(request: ConnectionRequest): Promise<ConnectionReply>;
  /** True when the server may still be working on a call of another client, which left it before the answer. */
  mayWorkForOthers(clientId: string | undefined): boolean;
  /** Announces new folders to a server of the older revisions, which may then ask again. */
  tellRootsChanged(): void;
  /** The cheapest request; an error answer also shows that the server is alive (CN13). @throws ConnectionError */
  ping(signal: AbortSignal): Promise<void>;
  /**
   * False when the server does not support subscriptions. The server learns of a resource's first subscriber and of the
   * end of its last one. @throws ConnectionError
   */
  subscribe(uri: string, subscriber: string): Promise<boolean>;
  unsubscribe(uri: string, subscriber: string): Promise<void>;
  /** Ends all subscriptions of this subscriber. */
  forget(subscriber: string): void;
  /** Ends the connection cleanly: stdin closed, session deleted. Its owner ends the process. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Connects and negotiates; the lists are read afterwards. @throws ConnectionError */
export type OpenConnection = (
  options: ConnectOptions,
  events: ConnectionEvents,
  signal: AbortSignal,
) => Promise<UpstreamConnection>;

/** Carries messages to one server and back. */
export interface ClientTransport {
  readonly pid?: number;
  /** True: in the modern revisions, closing the stream of a request cancels it (HTTP). */
  readonly hasRequestStreams: boolean;
  /**
   * Resolves when the message is on its way, undefined when it is already; the answer arrives as an event.
   * @param call for a request, where requests have their own streams: how to send it
   * @throws ConnectionError
   */
  send(message: OutgoingMessage, call?: RequestRoute): Promise<void> | undefined;
  /** Sets the revision that the handshake has agreed upon. */
  setVersion(version: string): void;
  /** When its process last wrote to stderr, by `performance.now`; undefined when it has not. */
  lastErrorAt?(): number | undefined;
  /** Ends it cleanly. Idempotent; never rejects. */
  close(): Promise<void>;
}

export interface RequestRoute {
  /** Aborted when nothing waits for the answer any more. */
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
  /** @param origin id of the request on whose stream it came, where requests have their own streams */
  onMessage(message: unknown, origin: number | undefined): void;
  /** The answer to this request will not come. */
  onLost(id: number, error: ConnectionError): void;
  /** Input that is not a message. */
  onStray(text: string): void;
  /** The connection has ended. Once; not after `close`. */
  onClosed(error: ConnectionError): void;
}
