import type { Authorization } from "../auth/authorizer.ts";
import type { Principal } from "../auth/principal.ts";
import type { InFlight } from "../connection/active-request.ts";
import type { Caller } from "../connection/elsewhere.ts";
import type { ReplyLane } from "../connection/replies.ts";
import type { ServedConnection, ServerContext } from "../context/server-context.ts";
import { type BodyBounds, createBodyBounds } from "../transport/http/read-body.ts";
import type { RequestGuard } from "../transport/http/request-guard.ts";
import { type HubGauges, HttpMetrics } from "./http-metrics.ts";
import { HttpSessions, type HttpSessionsParts } from "./http-sessions.ts";
import { LegacyHttp } from "./legacy-http.ts";
import { McpPost } from "./mcp-post.ts";
import { ModernHttp, type ModernHttpParts } from "./modern-http.ts";
import {
  refusal,
  beginsWork,
  type RefuseMessage,
  refuseMessage,
  type RefuseTool,
} from "./responses.ts";
import { OwnSessions } from "./own-sessions.ts";
import type { MakeSessionTable, SessionTable } from "./session-table.ts";
import { SsePair, type SsePairPaths } from "./sse-pair.ts";
import { Heartbeat, type TokenStateOf, TokenWatch } from "./sse-stream.ts";

export interface HttpEndpointParts extends HttpSessionsParts, Omit<ModernHttpParts, "heartbeat"> {
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
  /** Something that other requests than those for own tools need is away: `/readyz` says so. */
  readonly isDegraded?: (() => boolean) | undefined;
  /** Documents served without authorization, by path, such as the metadata of RFC 9728. */
  readonly documents: ReadonlyMap<string, string>;
  /** Answers requests for pages, which check their sender themselves; undefined for another path. Never rejects. */
  readonly pages?: ((request: Request, path: string) => Promise<Response> | undefined) | undefined;
  /** Where HTTP+SSE is served too. */
  readonly ssePair?: SsePairPaths | undefined;
  /** Count responses and serve the figures at `/metrics`, to every principal that may use the server. */
  readonly hasMetrics?: boolean;
  /** For them, the figures of the hub; undefined while the server uses none. Never rejects. */
  readonly hubGauges?: (() => Promise<HubGauges | undefined>) | undefined;
}

type Serve = (principal: Principal) => Response | Promise<Response>;
type Route = (request: Request, principal: Principal) => Response | Promise<Response>;

const metricsPath = "/metrics";
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
  readonly #metrics: HttpMetrics | undefined;
  readonly #tokenWatch: TokenWatch | undefined;
  /** The MCP endpoints, by path. */
  readonly #routes: ReadonlyMap<string, Route>;
  #isDraining = false;

  constructor(parts: HttpEndpointParts) {
    this.#parts = parts;
    this.#metrics = parts.hasMetrics === true ? new HttpMetrics() : undefined;
    this.#sessions = new HttpSessions(parts);
    this.#modern = new ModernHttp({ ...parts, heartbeat: this.#heartbeat });
    this.#table = parts.shareSessions?.(this.#sessions) ?? new OwnSessions(this.#sessions);
    this.#legacy = new LegacyHttp(this.#sessions, this.#table, parts.server, this.#heartbeat);
    this.#bodies = createBodyBounds(parts.principalPart);
    this.#tokenWatch = this.#watchTokens();
    this.#post = new McpPost(this.#modern, this.#legacy, this.#refuse, this.#bodies);
    this.#routes = new Map([
      ...this.#ssePairRoutes(),
      [parts.path, (request, principal) => this.#serve(request, principal)],
    ]);
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
    if (path === "/healthz") return new Response("ok\n");
    if (path === "/readyz") return this.#ready();
    const { guard, documents, pages } = this.#parts;
    const page = pages?.(request, path);
    if (page !== undefined) return page;
    const refused = guard.check(request);
    if (refused !== undefined) return refused;
    const document = documents.get(path);
    if (document !== undefined) return guard.withCors(request, serveDocument(request, document));
    const metrics = this.#metrics;
    if (metrics !== undefined && path === metricsPath) {
      return this.#authorized(request, () => this.#figures(request));
    }
    const route = this.#routes.get(path);
    if (route === undefined) return this.#nothing();
    const response = this.#answer(request, route);
    return metrics === undefined ? response : metrics.observe(response);
  };

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
  readonly #refuse: RefuseMessage = (message, principal) =>
    this.#isDraining && beginsWork(message)
      ? shuttingDown()
      : refuseMessage(message, principal, this.#parts.refuseTool);

  /**
   * The connection for a request that arrived at another replica; undefined when its session has ended.
   * @param lane its way back
   */
  async connectionOf(
    { principal, sessionId }: Caller,
    lane: ReplyLane,
    inFlight: InFlight,
  ): Promise<ServedConnection | undefined> {
    if (sessionId === undefined) return this.#modern.connectionFor(principal, lane, inFlight);
    const session = await this.#table.find(sessionId, principal);
    return session && { ...session.connection, inFlight };
  }

  /** No new work; resolves when all that is under way has been answered. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await Promise.all([this.#modern.settled(), this.#sessions.settled()]);
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
      ? authorization.then((settled) => serveAuthorized(settled, serve))
      : serveAuthorized(authorization, serve);
  }

  async #figures(request: Request): Promise<Response> {
    if (request.method !== "GET")
      return refusal(405, "Only GET is answered here.", { allow: "GET" });
    const sessions = this.#sessions.size;
    const requestsInFlight = this.#modern.size + this.#sessions.requestsInFlight;
    const hub = await this.#parts.hubGauges?.();
    const text = this.#metrics?.text({ sessions, requestsInFlight, hub });
    return new Response(text, { headers: { "content-type": "text/plain; version=0.0.4" } });
  }

  #ssePairRoutes(): readonly (readonly [string, Route])[] {
    const { ssePair: paths } = this.#parts;
    if (paths === undefined) return [];
    const pair = new SsePair({
      paths,
      sessions: this.#sessions,
      heartbeat: this.#heartbeat,
      refuse: this.#refuse,
      bounds: this.#bodies,
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
        return this.#legacy.get(request, principal);
      case "DELETE":
        return this.#legacy.delete(request, principal);
      default:
        return refusal(405, `${request.method.slice(0, 20)} is not answered here.`, {
          allow: allowed,
        });
    }
  }

  #ready(): Response {
    if (this.#isDraining) return new Response("shutting down\n", { status: 503 });
    return new Response(this.#parts.isDegraded?.() === true ? "degraded\n" : "ready\n");
  }
}

function shuttingDown(): Response {
  return refusal(503, "The server is shutting down.", { "retry-after": "5" });
}

function serveAuthorized(authorization: Authorization, serve: Serve): Response | Promise<Response> {
  if (authorization.kind === "ok") return serve(authorization.principal);
  const { status, headers, body } = authorization;
  return new Response(body, { status, headers });
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
