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
import type { RequestWatch } from "./request-watch.ts";
import { ResponseLane } from "./response-lane.ts";
import {
  accepted,
  faultResponse,
  noContent,
  refusal,
  tooManySessions,
  beginsWork,
  engineAway,
} from "./responses.ts";
import type { SessionTable } from "./session-table.ts";
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

export interface LegacyHttpParts {
  readonly sessions: HttpSessions;
  readonly table: SessionTable;
  readonly server: ServerContext;
  readonly heartbeat: Heartbeat;
  /** Knows where requests came from; absent where nobody watches. */
  readonly watch?: Pick<RequestWatch, "originOf"> | undefined;
}

/** The legacy side of the endpoint: sessions, their POST streams, their own stream and its resumption. */
export class LegacyHttp {
  readonly #sessions: HttpSessions;
  readonly #table: SessionTable;
  readonly #server: ServerContext;
  readonly #heartbeat: Heartbeat;
  readonly #watch: Pick<RequestWatch, "originOf"> | undefined;

  constructor({ sessions, table, server, heartbeat, watch }: LegacyHttpParts) {
    this.#sessions = sessions;
    this.#table = table;
    this.#server = server;
    this.#heartbeat = heartbeat;
    this.#watch = watch;
  }

  post(
    request: Request,
    principal: Principal,
    message: ClassifiedMessage,
  ): Response | Promise<Response> {
    if (message.kind === "legacy-request" && message.method === "initialize") {
      return this.#initialize(request, principal, message);
    }
    const id = request.headers.get(sessionHeader);
    if (id === null) return this.#withoutSession(request, message);
    return this.#withSession(request, id, principal, (session) =>
      this.#dispatch(request, session, message),
    );
  }

  get(request: Request, principal: Principal): Response | Promise<Response> {
    if (!takesEventStream(request.headers.get("accept"))) {
      return refusal(406, "GET is answered with a stream: Accept must take text/event-stream.");
    }
    const id = request.headers.get(sessionHeader);
    if (id === null) return notWithoutSession();
    const lastEventId = request.headers.get("last-event-id");
    return this.#withSession(request, id, principal, (session) => {
      const resumed =
        lastEventId === null
          ? undefined
          : this.#table.resume(session, lastEventId, this.#heartbeat);
      return after(resumed, (response) => response ?? this.#openOwnStream(session));
    });
  }

  delete(request: Request, principal: Principal): Response | Promise<Response> {
    const id = request.headers.get(sessionHeader);
    if (id === null) return notWithoutSession();
    return this.#withSession(request, id, principal, (session) =>
      after(this.#table.end(session), noContent),
    );
  }

  #openOwnStream(session: HttpSession): Response | Promise<Response> {
    return after(
      this.#table.openOwnStream(session, this.#heartbeat),
      (response) =>
        response ?? refusal(409, "The stream of this session is open already: close it first."),
    );
  }

  #initialize(
    request: Request,
    principal: Principal,
    message: Extract<ClassifiedMessage, { kind: "legacy-request" }>,
  ): Response | Promise<Response> {
    const session = this.#sessions.create(principal, HttpSession);
    if (session === undefined) return tooManySessions();
    const headers = { [sessionHeader]: session.id };
    const answer = this.#answer(
      session.dispatcher,
      message,
      this.#laneFor(request, session, { headers }),
    );
    const begun = this.#table.begin(session);
    if (begun === true) return answer;
    return this.#begun(session, begun, answer);
  }

  /** A session that others do not know must not be used: it would be lost with the next request. */
  async #begun(
    session: HttpSession,
    begun: false | Promise<boolean>,
    answer: Response | Promise<Response>,
  ): Promise<Response> {
    try {
      if (await begun) return await answer;
    } catch (error) {
      this.#sessions.end(session);
      return engineAway(error);
    }
    this.#sessions.end(session);
    return tooManySessions();
  }

  /** `ping` and a hint how to begin; batches are treated as 2025-03-26 (docs/spec/legacy.md#which-era, docs/spec/legacy.md#batches). */
  #withoutSession(request: Request, message: ClassifiedMessage): Response | Promise<Response> {
    if (!hasRequest(message)) return sessionMissing();
    const lane = new ResponseLane({
      statusOf: legacyStatus,
      openSink: () => {
        throw new Error("nothing that takes long is answered without a session");
      },
      heartbeat: this.#heartbeat,
      origin: this.#watch?.originOf(request),
    });
    const { dispatcher } = new SessionlessConnection(this.#server, lane);
    return this.#answer(dispatcher, message, lane);
  }

  /** Answers with `serve` once the session is found, which is at once for those of this process alone. */
  #withSession(
    request: Request,
    id: string,
    principal: Principal,
    serve: (session: HttpSession) => Response | Promise<Response>,
  ): Response | Promise<Response> {
    const header = request.headers.get("mcp-protocol-version") ?? undefined;
    const answer = after(this.#table.find(id, principal), (session) => {
      if (session === undefined) {
        return refusal(404, "There is no such session: send initialize to begin a new one.");
      }
      const fault = checkSessionVersion(header, session.connection.session.version);
      return fault === undefined ? serve(session) : faultResponse(400, fault);
    });
    return this.#table.isShared && answer instanceof Promise ? answer.catch(engineAway) : answer;
  }

  #dispatch(
    request: Request,
    session: HttpSession,
    message: ClassifiedMessage,
  ): Response | Promise<Response> {
    this.#table.relay(session, message);
    if (message.kind === "notification" || message.kind === "response") {
      session.dispatcher.receive(message, nowhere);
      return after(this.#table.saved(session), accepted);
    }
    const lane = this.#laneFor(request, session, { message });
    const wantsStream = prefersEventStream(request.headers.get("accept"));
    // A client can resume a stream after the connection broke, but not a JSON reply.
    if (wantsStream && message.kind === "legacy-request") lane.open();
    const answer = this.#answer(session.dispatcher, message, lane);
    if (!this.#table.isShared) return answer;
    return after(answer, (response) => after(this.#table.saved(session), () => response));
  }

  #answer(
    dispatcher: Dispatcher,
    message: ClassifiedMessage,
    lane: ResponseLane,
  ): Response | Promise<Response> {
    dispatcher.receive(message, lane);
    return lane.take();
  }

  #laneFor(
    request: Request,
    session: HttpSession,
    { headers, message }: LaneOptions,
  ): ResponseLane {
    return new ResponseLane(
      {
        statusOf: legacyStatus,
        openSink: () => session.openStream(() => JSON.stringify(idsOf(message))),
        heartbeat: this.#heartbeat,
        origin: this.#watch?.originOf(request),
        ...(headers === undefined ? {} : { headers }),
      },
      session.connection.session.version === "2025-11-25",
    );
  }
}

interface LaneOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The message that is answered, unless it is `initialize`. */
  readonly message?: ClassifiedMessage;
}

/** The ids that a response answers: one, those of a batch, or none. */
function idsOf(message: ClassifiedMessage | undefined): unknown {
  if (message?.kind === "legacy-request") return message.id;
  if (message?.kind !== "batch") return [];
  return message.elements.flatMap((element) => {
    const each = classifyMessage(element);
    return each.kind === "legacy-request" ? [each.id] : [];
  });
}

/** `next` of a value: at once, or when it is there. */
function after<Value, Outcome>(
  value: Value | Promise<Value>,
  next: (value: Value) => Outcome | Promise<Outcome>,
): Outcome | Promise<Outcome> {
  return value instanceof Promise ? value.then(next) : next(value);
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
