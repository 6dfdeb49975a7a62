import { httpSubscriptionsMax } from "../../base/limits.ts";
import { Shares } from "../../base/turns.ts";
import type { ToolProvider } from "../../calls/call.ts";
import { type ParamHeader, paramHeadersOf } from "../../protocol/headers.ts";
import type { ProtocolFault } from "../../protocol/json-rpc.ts";
import type { ClassifiedMessage, ModernRequest } from "../../protocol/message.ts";
import type { ToolListing } from "../../protocol/tool-types.ts";
import type { Principal } from "../auth/principal.ts";
import { InFlight } from "../connection/active-request.ts";
import { ClientRequests } from "../connection/client-requests.ts";
import type { ReplyLane } from "../connection/replies.ts";
import { type ClientProfile, Session } from "../connection/session.ts";
import type { ServedConnection, ServerContext } from "../context/server-context.ts";
import { Dispatcher } from "../dispatcher.ts";
import { checkRequestHeaders, modernStatus } from "../transport/http/header-rules.ts";
import { OpenRequests } from "./open-requests.ts";
import type { RequestWatch } from "./request-watch.ts";
import { DirectSink, ResponseLane } from "./response-lane.ts";
import { accepted, refusal } from "./responses.ts";
import type { Heartbeat, TokenStateOf } from "./sse-stream.ts";

interface ModernClient {
  /** With the newest token. */
  readonly principal: Principal;
  readonly clientId: string;
}

/** The principals that have sent modern requests. Their background work outlasts these requests, but not their token. */
class ModernClients {
  readonly #clients = new Map<string, ModernClient>();
  readonly #onEnd: (clientId: string) => void;

  /** @param onEnd what hangs on the identity of a client, such as background tasks, is to end */
  constructor(onEnd: (clientId: string) => void) {
    this.#onEnd = onEnd;
  }

  note(principal: Principal, clientId: string): void {
    this.#clients.set(principal.id, { principal, clientId });
  }

  review(tokenStateOf: TokenStateOf): void {
    for (const { principal, clientId } of this.#clients.values()) {
      const state = tokenStateOf(principal);
      if (state === "valid") continue;
      // One whose token has expired comes back with a new one to its tasks.
      if (state === "withdrawn") this.#onEnd(clientId);
      this.#clients.delete(principal.id);
    }
  }
}

export interface ModernHttpParts {
  readonly server: ServerContext;
  /** The client that a principal's modern requests are for. */
  readonly principalProfile: (principal: Principal) => ClientProfile;
  /** Ends everything of that client's identity, such as background tasks. */
  readonly onEnd: (clientId: string) => void;
  /** Requests in progress at a time, of all clients, without subscriptions. */
  readonly requestsMax: number;
  readonly subscriptionsMax?: number;
  /** The part of these that one principal may have; all when it is not given. */
  readonly principalPart?: number | undefined;
  readonly heartbeat: Heartbeat;
  /** Where requests came from; absent where nobody watches. */
  readonly watch?: Pick<RequestWatch, "originOf"> | undefined;
}

/** Modern requests: each POST is a connection of its own; a client that closes its response has cancelled it. */
export class ModernHttp {
  readonly #parts: ModernHttpParts;
  readonly #clientRequests = new ClientRequests();
  /** One for each principal, with the scopes of one token; holds nothing but its identity. */
  readonly #sessions = new WeakMap<Principal, Session>();
  readonly #clients: ModernClients;
  readonly #open = new OpenRequests();
  readonly #requestPlaces: Shares;
  /** Apart from the others: subscriptions stay for hours and cost next to nothing. */
  readonly #subscriptionPlaces: Shares;

  constructor(parts: ModernHttpParts) {
    this.#parts = parts;
    this.#clients = new ModernClients(parts.onEnd);
    const { requestsMax, subscriptionsMax = httpSubscriptionsMax, principalPart } = parts;
    this.#requestPlaces = new Shares(requestsMax, principalPart);
    this.#subscriptionPlaces = new Shares(subscriptionsMax, principalPart);
  }

  /** Requests under way, subscriptions included. */
  get size(): number {
    return this.#open.size;
  }

  answer(
    request: Request,
    principal: Principal,
    message: ClassifiedMessage,
  ): Response | Promise<Response> {
    if (message.kind === "notification") return accepted();
    const places = isSubscription(message) ? this.#subscriptionPlaces : this.#requestPlaces;
    if (!places.hasRoomFor(principal.id)) return tooManyRequests();
    const inFlight = new InFlight();
    let number = 0;
    const lane = this.#laneFor(request, inFlight, () => {
      if (this.#open.delete(number)) places.giveBack(principal.id);
    });
    const { headers } = request;
    const check = (modern: ModernRequest): ProtocolFault | undefined =>
      checkRequestHeaders(modern, headers, paramHeadersLookup(this.#parts.server.features.tools));
    new Dispatcher(this.connectionFor(principal, lane, inFlight), check).receive(message, lane);
    const response = lane.take();
    // A stream that is there at once, such as that of a subscription, is under way all the same.
    if (inFlight.size === 0) return response;
    number = this.#open.add(request, principal, inFlight);
    places.take(principal.id);
    return response;
  }

  /** Subscriptions end; resolves when nothing is under way. */
  async settled(): Promise<void> {
    const open = this.#open.all();
    for (const inFlight of open) inFlight.endSubscriptions();
    await Promise.all(open.map((inFlight) => inFlight.settled()));
  }

  /** Ends what withdrawn tokens have begun. */
  review(tokenStateOf: TokenStateOf): void {
    this.#open.review(tokenStateOf);
    this.#clients.review(tokenStateOf);
  }

  close(): void {
    for (const inFlight of this.#open.all()) inFlight.cancelAll();
  }

  #laneFor(request: Request, inFlight: InFlight, onOver: () => void): ResponseLane {
    const openSink = (): DirectSink => new DirectSink(() => inFlight.cancelAll());
    const { heartbeat, watch } = this.#parts;
    const origin = watch?.originOf(request);
    const parts = { statusOf: modernStatus, openSink, heartbeat, origin };
    return new ResponseLane(parts, false, onOver);
  }

  /** A connection for one request of `principal`, which may have arrived elsewhere. */
  connectionFor(principal: Principal, lane: ReplyLane, inFlight: InFlight): ServedConnection {
    return {
      server: this.#parts.server,
      outbox: lane,
      session: this.#sessionOf(principal),
      clientRequests: this.#clientRequests,
      inFlight,
      endsByNotification: false,
      caller: () => ({ principal }),
    };
  }

  #sessionOf(principal: Principal): Session {
    const known = this.#sessions.get(principal);
    if (known !== undefined) return known;
    const session = new Session(this.#parts.principalProfile(principal), this.#clientRequests);
    this.#sessions.set(principal, session);
    this.#clients.note(principal, session.clientId);
    return session;
  }
}

function isSubscription(message: ClassifiedMessage): boolean {
  return message.kind === "modern-request" && message.method === "subscriptions/listen";
}

function tooManyRequests(): Response {
  const message = "Too many requests or subscriptions are under way: try again later.";
  return refusal(503, message, { "retry-after": "1" });
}

/** The annotated arguments of each tool, read once for each list of tools. */
const knownHeaders = new WeakMap<
  readonly ToolListing[],
  ReadonlyMap<string, readonly ParamHeader[]>
>();

/** Looks up which arguments of a tool travel as headers too (docs/spec/modern.md#headers). */
function paramHeadersLookup(tools: ToolProvider): (toolName: string) => readonly ParamHeader[] {
  return (toolName) => headersOf(tools.list()).get(toolName) ?? [];
}

function headersOf(listings: readonly ToolListing[]): ReadonlyMap<string, readonly ParamHeader[]> {
  const cached = knownHeaders.get(listings);
  if (cached !== undefined) return cached;
  const headers = new Map<string, readonly ParamHeader[]>();
  for (const { name, inputSchema } of listings) {
    const reading = paramHeadersOf(inputSchema);
    if (reading.kind === "headers" && reading.headers.length > 0)
      headers.set(name, reading.headers);
  }
  knownHeaders.set(listings, headers);
  return headers;
}
