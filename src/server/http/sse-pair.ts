import type { Principal } from "../auth/principal.ts";
import { type ClassifiedMessage, classifyMessage } from "../../protocol/classify.ts";
import { takesEventStream } from "../transport/http/accept.ts";
import { type BodyBounds, readBody } from "../transport/http/read-body.ts";
import { checkSessionVersion, decideEra } from "../transport/http/version-header.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { HttpSessions } from "./http-sessions.ts";
import { refuseBody, type RefuseMessage } from "./message-refusals.ts";
import { accepted, faultResponse, refusal, tooManySessions } from "./responses.ts";
import { SsePairSession } from "./sse-pair-session.ts";

/** Where the two endpoints are. */
export interface SsePairPaths {
  /** GET: the stream of a new session. */
  readonly stream: string;
  /** POST: the messages of a session that the query names. */
  readonly messages: string;
}

export interface SsePairParts {
  readonly paths: SsePairPaths;
  readonly sessions: HttpSessions;
  readonly heartbeat: Heartbeat;
  readonly refuse: RefuseMessage;
  readonly bounds: BodyBounds;
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
    const { paths, sessions, heartbeat } = this.#parts;
    const session = sessions.create(principal, SsePairSession);
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
    const refused = this.#parts.refuse(message, principal);
    if (refused !== undefined) return refused;
    const session = this.#parts.sessions.find(id, principal, SsePairSession);
    if (session === undefined) {
      return refusal(404, "There is no such session: open a new stream to begin one.");
    }
    return deliver(session, message, request.headers.get("mcp-protocol-version") ?? undefined);
  }
}

/** @param header clients that agreed on 2025-06-18 or later send it here too; for others the session's is used */
function deliver(
  session: SsePairSession,
  message: ClassifiedMessage,
  header: string | undefined,
): Response {
  const { version } = session.connection.session;
  const fault = checkSessionVersion(header, version);
  if (fault !== undefined) return faultResponse(400, fault);
  const era = decideEra({ header: header ?? version, message });
  if (era.kind === "refused") return faultResponse(era.status, era.fault, era.id);
  session.receive(message);
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
