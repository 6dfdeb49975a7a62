import type { Authorization } from "../auth/authorizer.ts";
import type { Principal } from "../auth/principal.ts";
import type { InFlight } from "../connection/active-request.ts";
import type { Caller } from "../connection/elsewhere.ts";
import type { ReplyLane } from "../connection/replies.ts";
import type { ServedConnection, ServerContext } from "../context/server-context.ts";
import { type BodyBounds, createBodyBounds } from "../transport/http/read-body.ts";
import type { RequestGuard } from "../transport/http/request-guard.ts";
import { Health, type HealthParts, type OperatorPages } from "./operator-pages.ts";
import { HttpSessions, type HttpSessionsParts } from "./http-sessions.ts";
import { LegacyHttp } from "./legacy-http.ts";
import { McpPost } from "./mcp-post.ts";
import { ModernHttp, type ModernHttpParts } from "./modern-http.ts";
import { RequestWatch } from "./request-watch.ts";
import {
  refusal,
  beginsWork,
  type RefuseMessage,
  refuseMessage,
  type RefuseTool,
  shuttingDown,
} from "./responses.ts";
import { OwnSessions, type MakeSessionTable, type SessionTable } from "./session-table.ts";
import { type PairRelay, SsePair, type SsePairPaths } from "./sse-pair.ts";
import { Heartbeat, type TokenStateOf, TokenWatch } from "./sse-stream.ts";

/** Keeps what one principal has used from a second one. */
export interface PrincipalAdmission {
  /** Before a request that arrived at another replica runs. */
  admit(principal: Principal): Promise<unknown> | undefined;
  /** A second principal is there. Resolves when nothing is left for it. */
  separate(): Promise<unknown>;
}

export interface HttpEndpointParts
  extends HttpSessionsParts, Omit<ModernHttpParts, "heartbeat" | "watch"> {
  /** Path of the MCP endpoint, such as `/mcp`. */
  readonly path: string;
  readonly guard: RequestGuard;
  readonly authorize: (request: Request) => Authorization | Promise<Authorization>;
  /** The current state of an authorized principal's token; absent: all sessions and streams may stay. */
  readonly tokenStateOf?: TokenStateOf | undefined;
  readonly tokenLookMs?: number;
  readonly refuseTool: RefuseTool;
  /** In a fleet: the sessions that its replicas share. */
  readonly shareSessions?: MakeSessionTable | undefined;
  /** Documents served without authorization, by path, such as the metadata of RFC 9728. */
  readonly documents: ReadonlyMap<string, string>;
  /** Answers requests for pages, which check their sender themselves; undefined for another path. Never rejects. */
  readonly pages?: ((request: Request, path: string) => Promise<Response> | undefined) | undefined;
  /** Where HTTP+SSE is served too. */
  readonly ssePair?: SsePairPaths | undefined;
  /** In a fleet: the way to the replica of such a session. */
  readonly pairRelay?: PairRelay | undefined;
  readonly health: HealthParts;
  /** `/metrics` and `/status`, where they are served here: to the principals that `refuseWatcher` lets in. */
  readonly operatorPages?: OperatorPages | undefined;
  readonly principals?: PrincipalAdmission | undefined;
  /** Undefined when the principal may see them, else the answer (403). */
  readonly refuseWatcher?: (principal: Principal) => Response | undefined;
  /** Gets every response of an MCP endpoint when its head is ready; a stream goes on after that. */
  readonly onResponse?: ((response: Response, startedAt: number) => void) | undefined;
  /** Where the connection of a request comes from; for observers, so only where there are any. */
  readonly addressOf?: ((request: Request) => string | undefined) | undefined;
}

/** The state of an endpoint in numbers. */
export interface EndpointFigures {
  readonly sessions: number;
  readonly requestsInFlight: number;
  /** Characters of events that wait for clients that come back. */
  readonly eventChars: number;
}

type Serve = (principal: Principal) => Response | Promise<Response>;
type Route = (request: Request, principal: Principal) => Response | Promise<Response>;

const allowed = "POST, GET, DELETE";

/**
 * The HTTP side of the server: `fetch` answers every request that reaches the port. Order of the checks: health, pages,
 * Host and Origin, authorization, method, and then the message itself (docs/spec/modern.md#order-of-checks).
 */
export class HttpEndpoint {
  readonly #parts: HttpEndpointParts;
  readonly #sessions: HttpSessions;
  readonly #table: SessionTable;
  readonly #modern: ModernHttp;
  readonly #legacy: LegacyHttp;
  readonly #post: McpPost;
  readonly #heartbeat = new Heartbeat();
  readonly #bodies: BodyBounds;
  readonly #health: Health;
  readonly #watch: RequestWatch | undefined;
  readonly #tokenWatch: TokenWatch | undefined;
  /** The MCP endpoints, by path. */
  readonly #routes: ReadonlyMap<string, Route>;
  #isDraining = false;

  constructor(parts: HttpEndpointParts) {
    this.#parts = parts;
    this.#health = new Health(parts.health);
    this.#watch = this.#createWatch();
    this.#sessions = new HttpSessions(parts);
    const [heartbeat, watch] = [this.#heartbeat, this.#watch];
    this.#modern = new ModernHttp({ ...parts, heartbeat, watch });
    this.#table = parts.shareSessions?.(this.#sessions) ?? new OwnSessions(this.#sessions);
    const { server } = parts;
    this.#legacy = new LegacyHttp({
      sessions: this.#sessions,
      table: this.#table,
      server,
      heartbeat,
      watch,
    });
    this.#bodies = createBodyBounds(parts.principalPart);
    this.#tokenWatch = this.#watchTokens();
    this.#post = new McpPost(this.#modern, this.#legacy, this.#refuse, this.#bodies);
    this.#routes = new Map([
      ...this.#ssePairRoutes(),
      [parts.path, (request, principal) => this.#serve(request, principal)],
    ]);
  }

  #createWatch(): RequestWatch | undefined {
    const { server, addressOf = (): undefined => undefined } = this.#parts;
    return server.observer === undefined ? undefined : new RequestWatch(server.observer, addressOf);
  }

  /** Looks over what is open now: tokens have changed. */
  lookAtTokens(): void {
    this.#tokenWatch?.look();
  }

  get server(): ServerContext {
    return this.#parts.server;
  }

  #watchTokens(): TokenWatch | undefined {
    const { tokenStateOf, tokenLookMs } = this.#parts;
    if (tokenStateOf === undefined) return undefined;
    const review = (current: TokenStateOf): void => {
      this.#modern.review(current);
      this.#sessions.review(current);
    };
    return new TokenWatch(tokenStateOf, review, tokenLookMs);
  }

  /** Never rejects. */
  readonly fetch = (request: Request): Response | Promise<Response> => {
    const path = pathOf(request.url);
    const health = this.#health.answer(path, request);
    if (health !== undefined) return health;
    const watch = this.#watch;
    const response =
      watch === undefined
        ? this.#route(path, request)
        : watch.around(request, () => this.#route(path, request));
    return this.#isDraining ? lastOnItsConnection(response) : response;
  };

  get figures(): EndpointFigures {
    return {
      sessions: this.#sessions.size,
      requestsInFlight: this.#modern.size + this.#sessions.requestsInFlight,
      eventChars: this.#sessions.eventChars,
    };
  }

  #route(path: string, request: Request): Response | Promise<Response> {
    const { guard, documents, pages, operatorPages, onResponse } = this.#parts;
    const page = pages?.(request, path);
    if (page !== undefined) return page;
    const refused = guard.check(request);
    if (refused !== undefined) return refused;
    const document = documents.get(path);
    if (document !== undefined) return guard.withCors(request, serveDocument(request, document));
    if (operatorPages?.has(path) === true) {
      return this.#authorized(request, (principal) => {
        const refusedWatcher = this.#parts.refuseWatcher?.(principal);
        return refusedWatcher ?? operatorPages.answer(path, request);
      });
    }
    const route = this.#routes.get(path);
    if (route === undefined) return this.#nothing();
    if (onResponse === undefined) return this.#answer(request, route);
    const startedAt = performance.now();
    return told(this.#answer(request, route), (response) => onResponse(response, startedAt));
  }

  #nothing(): Response {
    return refusal(404, `There is nothing at this path: send requests to ${this.#parts.path}.`);
  }

  #answer(request: Request, route: Route): Response | Promise<Response> {
    const { guard } = this.#parts;
    if (request.method === "OPTIONS") return guard.preflight(request);
    const serve = (principal: Principal): Response | Promise<Response> => route(request, principal);
    return guard.withCors(request, this.#authorized(request, serve));
  }

  /** While the server shuts down it starts nothing new; answers and cancellations are still accepted. */
  readonly #refuse: RefuseMessage = (message, principal, request) =>
    this.#isDraining && beginsWork(message)
      ? shuttingDown()
      : refuseMessage(message, principal, (...asked) => this.#refuseTool(request, ...asked));

  /**
   * The connection for a request that arrived at another replica; undefined when its session has ended.
   * @param lane its way back
   */
  async connectionOf(
    { principal, sessionId }: Caller,
    lane: ReplyLane,
    inFlight: InFlight,
  ): Promise<ServedConnection | undefined> {
    await this.#parts.principals?.admit(principal);
    if (sessionId === undefined) return this.#modern.connectionFor(principal, lane, inFlight);
    const session = await this.#table.find(sessionId, principal);
    return session && { ...session.connection, inFlight };
  }

  /** Another replica has met a second principal. Resolves when nothing of the first is left for it here. */
  async separatePrincipals(): Promise<void> {
    await this.#parts.principals?.separate();
  }

  #refuseTool(request: Request, principal: Principal, toolName: string): Response | undefined {
    const refused = this.#parts.refuseTool(principal, toolName);
    if (refused !== undefined) this.#watch?.noteTool(request, toolName);
    return refused;
  }

  /**
   * No new work, and each connection ends with its response, so that clients go elsewhere. Resolves when all that is under way has
   * been answered.
   */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#parts.health.readiness.drain();
    this.#sessions.drain();
    await Promise.all([this.#modern.settled(), this.#post.settled()]);
    await this.#sessions.settled();
  }

  /** Ends every session and request at once. */
  close(): void {
    this.#tokenWatch?.close();
    this.#modern.close();
    this.#sessions.close();
  }

  #authorized(request: Request, serve: Serve): Response | Promise<Response> {
    const authorization = this.#parts.authorize(request);
    return authorization instanceof Promise
      ? authorization.then((settled) => this.#serveAuthorized(request, settled, serve))
      : this.#serveAuthorized(request, authorization, serve);
  }

  #serveAuthorized(
    request: Request,
    authorization: Authorization,
    serve: Serve,
  ): Response | Promise<Response> {
    if (authorization.kind === "ok") {
      this.#watch?.notePrincipal(request, authorization.principal.id);
      return serve(authorization.principal);
    }
    const { status, headers, body } = authorization;
    return new Response(body, { status, headers });
  }

  #ssePairRoutes(): readonly (readonly [string, Route])[] {
    const { ssePair: paths } = this.#parts;
    if (paths === undefined) return [];
    const pair = new SsePair({
      paths,
      relay: this.#parts.pairRelay,
      sessions: this.#sessions,
      heartbeat: this.#heartbeat,
      refuse: this.#refuse,
      bounds: this.#bodies,
      watch: this.#watch,
    });
    return [
      [
        paths.stream,
        (request, principal) => (this.#isDraining ? shuttingDown() : pair.open(request, principal)),
      ],
      [paths.messages, (request, principal) => pair.post(request, principal)],
    ];
  }

  #serve(request: Request, principal: Principal): Response | Promise<Response> {
    switch (request.method) {
      case "POST":
        return this.#post.answer(request, principal);
      case "GET":
        // A broken stream may still be resumed; a new one would not last.
        if (this.#isDraining && !request.headers.has("last-event-id")) return shuttingDown();
        return this.#legacy.get(request, principal);
      case "DELETE":
        return this.#legacy.delete(request, principal);
      default:
        return refusal(405, `${request.method.slice(0, 20)} is not answered here.`, {
          allow: allowed,
        });
    }
  }
}

function told(
  response: Response | Promise<Response>,
  tell: (response: Response) => void,
): Response | Promise<Response> {
  if (response instanceof Promise) {
    return response.then((settled) => {
      tell(settled);
      return settled;
    });
  }
  tell(response);
  return response;
}

/** A client that kept its connection would send its next request to a server that ends. */
function lastOnItsConnection(response: Response | Promise<Response>): Response | Promise<Response> {
  return told(response, ({ headers }) => headers.set("connection", "close"));
}

/** Without making a URL object, which costs a microsecond. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start === -1) return "/";
  const query = url.indexOf("?", start);
  return query === -1 ? url.slice(start) : url.slice(start, query);
}

function serveDocument(request: Request, document: string): Response {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return refusal(405, "Only GET is answered here.", { allow: "GET, HEAD" });
  }
  const headers = { "content-type": "application/json", "cache-control": "max-age=3600" };
  return new Response(document, { headers });
}
