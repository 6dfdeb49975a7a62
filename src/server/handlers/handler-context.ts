import type { Cancellation } from "../../base/cancellation.ts";
import { entriesPerPageMax } from "../../base/limits.ts";
import type { AskClient } from "../../calls/ask-client.ts";
import type {
  CallRequest,
  ClientContext,
  ProgressUpdate,
  RequestContext,
} from "../../calls/call.ts";
import type { ClientCapabilities } from "../../protocol/client-capabilities.ts";
import {
  encodeNotification,
  isWantedAt,
  type LogLevel,
  type Params,
} from "../../protocol/json-rpc.ts";
import { cutListPage, type ListPage, type PagedList } from "../../protocol/list-parts.ts";
import { readPassedMeta, readProgressToken, type ProtocolVersion } from "../../protocol/message.ts";
import { createAsk } from "../ask/create-ask.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { invalidParams, type MethodReply, resultReply } from "../connection/method.ts";
import { ProgressReporter } from "../connection/progress.ts";
import type { ServedConnection } from "../context/server-context.ts";

/** The services for the handler of one request; created from the request as they are used. */
export class HandlerContext implements RequestContext {
  readonly #request: ActiveRequest;
  readonly #connection: ServedConnection;
  readonly onProgress?: (update: ProgressUpdate) => void;
  #ask: AskClient | undefined;

  constructor(request: ActiveRequest, connection: ServedConnection) {
    this.#request = request;
    this.#connection = connection;
    const token = readProgressToken(request.params);
    if (token === undefined) return;
    const progress = new ProgressReporter(token, request.version, request.lane);
    request.progress = progress;
    this.onProgress = (update) => progress.report(update);
  }

  get version(): ProtocolVersion {
    return this.#request.version;
  }

  get client(): ClientContext {
    return this.#request.client;
  }

  get capabilities(): ClientCapabilities {
    return this.#request.asker.capabilities;
  }

  get cancellation(): Cancellation {
    return this.#request.cancellation;
  }

  get passedMeta(): Params | undefined {
    return readPassedMeta(this.#request.params);
  }

  get ask(): AskClient {
    this.#ask ??= createAsk(this.#request, this.#connection);
    return this.#ask;
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    sendLogMessage(this.#request, level, data, logger);
  }
}

/** A `tools/call` as the router sees it. */
export class ToolCall extends HandlerContext implements CallRequest {
  readonly name: string;
  readonly args: unknown;
  readonly closeStream?: () => void;

  constructor(name: string, args: unknown, request: ActiveRequest, connection: ServedConnection) {
    super(request, connection);
    this.name = name;
    this.args = args;
    const { closeEarly } = request.lane;
    if (closeEarly !== undefined) this.closeStream = closeEarly;
  }
}

/**
 * Sends `notifications/message` on the lane of its request: only at or above the level that the client asked
 * for, not after the reply, and not to a client that does not read (docs/spec/modern.md#notifications). Never give it secrets.
 */
export function sendLogMessage(
  request: ActiveRequest,
  level: LogLevel,
  data: unknown,
  logger?: string,
): void {
  const { asker, lane } = request;
  const least = asker.logLevel;
  if (least === undefined || !isWantedAt(level, least)) return;
  if (request.isOver || lane.isCongested) return;
  lane.send(encodeNotification("notifications/message", { level, logger, data }));
}

/** The page of a list that the request asks for; a foreign cursor is -32602 (docs/spec/modern.md#tools). */
export function pageReply<Entry>(
  request: ActiveRequest,
  list: PagedList<Entry>,
  encode: (page: ListPage<Entry>) => string,
): MethodReply {
  const page = cutListPage(list, request.params?.cursor, entriesPerPageMax);
  return page === undefined ? unknownCursor() : resultReply(encode(page));
}

export function unknownCursor(): MethodReply {
  return invalidParams(
    "cursor is unknown, or the list has changed; ask without a cursor for the first page",
  );
}
