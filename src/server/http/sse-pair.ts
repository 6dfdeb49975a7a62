import { httpDrainRetryMs } from "../../base/limits.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import { type ClassifiedMessage, classifyMessage, legacyVersions } from "../../protocol/message.ts";
import type { Principal } from "../auth/principal.ts";
import { PipeLane } from "../connection/active-request.ts";
import type { Outbox, RequestOrigin } from "../connection/replies.ts";
import { createConnection, type ServedConnection } from "../context/server-context.ts";
import { Dispatcher } from "../dispatcher.ts";
import { encodeEvent, encodeRetry, keepAliveComment } from "../transport/http/event-store.ts";
import { takesEventStream } from "../transport/http/header-rules.ts";
import { type BodyBounds, readBody } from "../transport/http/read-body.ts";
import { checkSessionVersion, decideEra } from "../transport/http/version-header.ts";
import type { HttpSessions, LegacySession, LegacySessionParts } from "./http-sessions.ts";
import {
  accepted,
  engineAway,
  faultResponse,
  refusal,
  tooManySessions,
  refuseBody,
  type RefuseMessage,
} from "./responses.ts";
import type { RequestWatch } from "./request-watch.ts";
import { type Beating, type Heartbeat, SseStream } from "./sse-stream.ts";

/** Where the two endpoints are. */
export interface SsePairPaths {
  /** GET: the stream of a new session. */
  readonly stream: string;
  /** POST: the messages of a session that the query names. */
  readonly messages: string;
}

/** In a fleet: the stream of a session is at one replica, and its messages may come to any. */
export interface PairRelay {
  /** The first characters of the ids of sessions with a stream here. */
  readonly prefix: () => string;
  /** Brings a message to the replica of a session; undefined when there is none, or no such session of this principal. */
  readonly post: (
    id: string,
    principal: Principal,
    message: PairMessage,
  ) => Promise<Response | undefined>;
}

/** A message as it came: JSON, and the header `MCP-Protocol-Version`. */
export interface PairMessage {
  readonly value: unknown;
  readonly header?: string | undefined;
}

export interface SsePairParts {
  readonly relay?: PairRelay | undefined;
  readonly paths: SsePairPaths;
  readonly sessions: HttpSessions;
  readonly heartbeat: Heartbeat;
  readonly refuse: RefuseMessage;
  readonly bounds: BodyBounds;
  /** Where requests came from; absent where nobody watches. */
  readonly watch?: Pick<RequestWatch, "originOf"> | undefined;
}

/**
 * HTTP+SSE, the HTTP transport of 2024-11-05, for clients that have no other (docs/spec/legacy.md#httpsse): GET opens a
 * session and its stream, POSTs bring messages, everything else comes on the stream, whose end is the session's.
 */
export class SsePair {
  readonly #parts: SsePairParts;

  constructor(parts: SsePairParts) {
    this.#parts = parts;
  }

  /** Answers what comes to the path of the stream. */
  open(request: Request, principal: Principal): Response {
    if (request.method !== "GET") return onlyMethod("GET");
    const accept = request.headers.get("accept");
    if (accept !== null && !takesEventStream(accept)) {
      return refusal(406, "GET is answered with a stream: Accept must take text/event-stream.");
    }
    const { paths, sessions, heartbeat, relay } = this.#parts;
    const session = sessions.create(principal, SsePairSession, relay?.prefix());
    if (session === undefined) return tooManySessions();
    const messagesUri = `${paths.messages}?session=${session.id}`;
    return session.open(messagesUri, heartbeat, () => sessions.end(session));
  }

  /** Answers what comes to the path of the messages. */
  async post(request: Request, principal: Principal): Promise<Response> {
    if (request.method !== "POST") return onlyMethod("POST");
    const id = sessionIdOf(request.url);
    if (id === null) {
      return refusal(
        400,
        `The URI has no session: send GET ${this.#parts.paths.stream} to get it.`,
      );
    }
    const body = await readBody(request, principal.id, this.#parts.bounds);
    if (body.kind === "refused") return refuseBody(body);
    const message = classifyMessage(body.value);
    const refused = this.#parts.refuse(message, principal, request);
    if (refused !== undefined) return refused;
    const header = request.headers.get("mcp-protocol-version") ?? undefined;
    const session = this.#parts.sessions.find(id, principal, SsePairSession);
    if (session !== undefined) {
      return deliver(session, message, { header, origin: this.#parts.watch?.originOf(request) });
    }
    const relayed = await this.#parts.relay
      ?.post(id, principal, { value: body.value, header })
      .catch(engineAway);
    return relayed ?? refusal(404, "There is no such session: open a new stream to begin one.");
  }
}

/** Delivers a message that came to another replica; undefined when this one has no such session of this principal. */
export function deliverRelayed(
  sessions: HttpSessions,
  id: string,
  principalId: string,
  { value, header }: PairMessage,
): Response | undefined {
  const session = sessions.get(id);
  if (!(session instanceof SsePairSession) || session.principal.id !== principalId)
    return undefined;
  session.usedAt = performance.now();
  return deliver(session, classifyMessage(value), { header, origin: undefined });
}

/** @param header clients that agreed on 2025-06-18 or later send it here too; for others the session's is used */
function deliver(
  session: SsePairSession,
  message: ClassifiedMessage,
  {
    header,
    origin,
  }: { readonly header: string | undefined; readonly origin: RequestOrigin | undefined },
): Response {
  const { version } = session.connection.session;
  const fault = checkSessionVersion(header, version);
  if (fault !== undefined) return faultResponse(400, fault);
  const era = decideEra({ header: header ?? version, message });
  if (era.kind === "refused") return faultResponse(era.status, era.fault, era.id);
  session.receive(message, origin);
  return accepted();
}

/** Without making a URL object, which some requests would not survive. */
function sessionIdOf(url: string): string | null {
  const start = url.indexOf("?");
  return start === -1 ? null : new URLSearchParams(url.slice(start)).get("session");
}

function onlyMethod(method: "GET" | "POST"): Response {
  return refusal(405, `Only ${method} is answered here.`, { allow: method });
}

/** A session of HTTP+SSE (2024-11-05): its one stream is a pipe to the client, and its life. */
export class SsePairSession implements LegacySession, Beating, Outbox {
  readonly id: string;
  principal: Principal;
  usedAt = performance.now();
  readonly connection: ServedConnection;
  /** The head of its response is out from the start. */
  readonly isSilent = false;
  readonly #stream = new SseStream(() => this.#onGone?.());
  readonly #lane = new PipeLane(this);
  readonly #dispatcher: Dispatcher;
  #onGone: (() => void) | undefined;
  #heartbeat: Heartbeat | undefined;
  #beatNumber = 0;

  constructor({ id, principal, server, profile }: LegacySessionParts) {
    this.id = id;
    this.principal = principal;
    this.connection = createConnection(server, profile(this), this);
    this.#dispatcher = new Dispatcher(this.connection, () => modernFault);
  }

  /** The stream lasts as long as the session. One in which nobody says `initialize` is not worth its place. */
  get isBusy(): boolean {
    return this.connection.session.version !== undefined;
  }

  get isCongested(): boolean {
    return this.#stream.isCongested;
  }

  /**
   * The stream, which begins with where to send messages. Called once.
   * @param onGone called once when the client closed it, or reads so slowly that we did
   */
  open(messagesUri: string, heartbeat: Heartbeat, onGone: () => void): Response {
    this.#onGone = onGone;
    this.#heartbeat = heartbeat;
    this.#beatNumber = heartbeat.add(this);
    this.#stream.write(encodeEvent({ event: "endpoint", data: messagesUri }));
    return this.#stream.response;
  }

  /** @param origin of the POST that brought it */
  receive(message: ClassifiedMessage, origin?: RequestOrigin): void {
    const lane = origin === undefined ? this.#lane : new PipeLane(this, origin);
    this.#dispatcher.receive(message, lane);
  }

  send(text: string): void {
    this.#stream.write(encodeEvent({ event: "message", data: text }));
  }

  beat(): void {
    this.#stream.write(keepAliveComment);
  }

  /** Its one stream is the session, so it ends, but not under a call that was begun in time. */
  expire(): void {
    if (this.connection.inFlight.size === 0) this.#onGone?.();
  }

  drain(): void {
    this.#stream.write(encodeRetry(httpDrainRetryMs));
  }

  closeStreams(): void {
    this.#heartbeat?.delete(this.#beatNumber);
    this.#stream.end();
  }
}

/** Not -32022, which would say that it could be asked in a modern revision: so the client goes on with `initialize`. */
const modernFault = createFault(
  errorCodes.invalidRequest,
  `Invalid request: HTTP+SSE serves ${legacyVersions.join(", ")} only: send initialize first`,
);
