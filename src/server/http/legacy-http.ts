import { type ClassifiedMessage, classifyMessage } from "../../protocol/message.ts";
import type { Principal } from "../auth/principal.ts";
import { InFlight } from "../connection/active-request.ts";
import { ClientRequests } from "../connection/client-requests.ts";
import type { ReplyLane } from "../connection/replies.ts";
import { Session } from "../connection/session.ts";
import type { ServedConnection, ServerContext } from "../context/server-context.ts";
import { Dispatcher } from "../dispatcher.ts";
import {
  legacyStatus,
  prefersEventStream,
  takesEventStream,
} from "../transport/http/header-rules.ts";
import { checkSessionVersion } from "../transport/http/version-header.ts";
import { HttpSession } from "./http-session.ts";
import type { HttpSessions } from "./http-sessions.ts";
import { ResponseLane } from "./response-lane.ts";
import {
  accepted,
  faultResponse,
  noContent,
  refusal,
  tooManySessions,
  beginsWork,
} from "./responses.ts";
import { type Heartbeat } from "./sse-stream.ts";

const nobody = {
  id: "nobody",
  limitsFor: () => ({ answerMs: 0, resultCharsMax: 0 }),
  fallbackDir: "/",
};

/** The connection for a legacy message without a session: it lasts as long as that message. */
class SessionlessConnection {
  readonly dispatcher: Dispatcher;

  constructor(server: ServerContext, lane: ReplyLane) {
    const clientRequests = new ClientRequests();
    const connection: ServedConnection = {
      server,
      outbox: lane,
      session: new Session(nobody, clientRequests),
      clientRequests,
      inFlight: new InFlight(),
      endsByNotification: false,
      assumedVersion: "2025-03-26",
    };
    this.dispatcher = new Dispatcher(connection);
  }
}

const sessionHeader = "mcp-session-id";

/** The legacy side of the endpoint: sessions, their POST streams, their own stream and its resumption. */
export class LegacyHttp {
  readonly #sessions: HttpSessions;
  readonly #server: ServerContext;
  readonly #heartbeat: Heartbeat;

  constructor(sessions: HttpSessions, server: ServerContext, heartbeat: Heartbeat) {
    this.#sessions = sessions;
    this.#server = server;
    this.#heartbeat = heartbeat;
  }

  post(
    request: Request,
    principal: Principal,
    message: ClassifiedMessage,
  ): Response | Promise<Response> {
    if (message.kind === "legacy-request" && message.method === "initialize") {
      return this.#initialize(principal, message);
    }
    const id = request.headers.get(sessionHeader);
    if (id === null) return this.#withoutSession(message);
    const session = this.#find(request, id, principal);
    if (session instanceof Response) return session;
    return this.#dispatch(session, message, prefersEventStream(request.headers.get("accept")));
  }

  get(request: Request, principal: Principal): Response {
    if (!takesEventStream(request.headers.get("accept"))) {
      return refusal(406, "GET is answered with a stream: Accept must take text/event-stream.");
    }
    const id = request.headers.get(sessionHeader);
    if (id === null) return notWithoutSession();
    const session = this.#find(request, id, principal);
    if (session instanceof Response) return session;
    const lastEventId = request.headers.get("last-event-id");
    const resumed = lastEventId === null ? undefined : session.resume(lastEventId);
    if (resumed !== undefined) return resumed;
    return (
      session.openOwnStream(this.#heartbeat) ??
      refusal(409, "The stream of this session is open already: close it first.")
    );
  }

  delete(request: Request, principal: Principal): Response {
    const id = request.headers.get(sessionHeader);
    if (id === null) return notWithoutSession();
    const session = this.#find(request, id, principal);
    if (session instanceof Response) return session;
    this.#sessions.end(session);
    return noContent();
  }

  #initialize(
    principal: Principal,
    message: Extract<ClassifiedMessage, { kind: "legacy-request" }>,
  ): Response | Promise<Response> {
    const session = this.#sessions.create(principal, HttpSession);
    if (session === undefined) return tooManySessions();
    const headers = { [sessionHeader]: session.id };
    return this.#answer(session.dispatcher, message, this.#laneFor(session, headers));
  }

  /** `ping` and a hint how to begin; batches are treated as 2025-03-26 (docs/spec/legacy.md#which-era, docs/spec/legacy.md#batches). */
  #withoutSession(message: ClassifiedMessage): Response | Promise<Response> {
    if (!hasRequest(message)) return sessionMissing();
    const lane = new ResponseLane({
      statusOf: legacyStatus,
      openSink: () => {
        throw new Error("nothing that takes long is answered without a session");
      },
      heartbeat: this.#heartbeat,
    });
    const { dispatcher } = new SessionlessConnection(this.#server, lane);
    return this.#answer(dispatcher, message, lane);
  }

  #find(request: Request, id: string, principal: Principal): HttpSession | Response {
    const session = this.#sessions.find(id, principal, HttpSession);
    if (session === undefined) {
      return refusal(404, "There is no such session: send initialize to begin a new one.");
    }
    const header = request.headers.get("mcp-protocol-version") ?? undefined;
    const fault = checkSessionVersion(header, session.connection.session.version);
    return fault === undefined ? session : faultResponse(400, fault);
  }

  #dispatch(
    session: HttpSession,
    message: ClassifiedMessage,
    wantsStream: boolean,
  ): Response | Promise<Response> {
    if (message.kind === "notification" || message.kind === "response") {
      session.dispatcher.receive(message, nowhere);
      return accepted();
    }
    const lane = this.#laneFor(session);
    // What was streamed can be had again after the connection broke, JSON cannot.
    if (wantsStream && message.kind === "legacy-request") lane.open();
    return this.#answer(session.dispatcher, message, lane);
  }

  #answer(
    dispatcher: Dispatcher,
    message: ClassifiedMessage,
    lane: ResponseLane,
  ): Response | Promise<Response> {
    dispatcher.receive(message, lane);
    return lane.take();
  }

  #laneFor(session: HttpSession, headers?: Readonly<Record<string, string>>): ResponseLane {
    return new ResponseLane(
      {
        statusOf: legacyStatus,
        openSink: () => session.openStream(),
        heartbeat: this.#heartbeat,
        ...(headers === undefined ? {} : { headers }),
      },
      session.connection.session.version === "2025-11-25",
    );
  }
}

/** An empty batch is answered like a request: with an error. */
function hasRequest(message: ClassifiedMessage): boolean {
  if (message.kind !== "batch") return beginsWork(message);
  const { elements } = message;
  return elements.length === 0 || elements.some((element) => hasRequest(classifyMessage(element)));
}

function sessionMissing(): Response {
  return refusal(400, "The Mcp-Session-Id header is missing: send initialize to begin a session.");
}

/** The answers of a server without sessions, as for a modern client (docs/spec/modern.md#endpoint). */
function notWithoutSession(): Response {
  return refusal(405, "Only POST is answered without a session.", { allow: "POST" });
}

/** Notifications and responses get no reply. */
const nowhere = { isCongested: false, send: () => {}, reply: () => {} };
