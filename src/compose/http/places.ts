import type { HttpSettings } from "../../cli/http-settings.ts";
import type { Fleet } from "../../fleet/open-fleet.ts";
import { HeldState } from "../../fleet/places/held-state.ts";
import { relayKinds } from "../../fleet/places/relay-messages.ts";
import { RelayedPrincipals, RelayedRequests } from "../../fleet/places/relayed-requests.ts";
import { RequestRelay } from "../../fleet/places/request-relay.ts";
import { EngineMcpTaskRecords } from "../../fleet/places/mcp-task-records.ts";
import type { Principal } from "../../server/auth/principal.ts";
import type { HttpEndpoint } from "../../server/http/http-endpoint.ts";
import type { Application } from "../application.ts";

/** Commands of the first principal are ended, in two steps. */
const separateMsMax = 5_000;

export interface PlacesParts {
  readonly fleet: Fleet;
  readonly app: Application;
  readonly endpoint: HttpEndpoint;
  readonly settings: Pick<HttpSettings, "fence">;
  /** The part of the places for requests that one principal may have. */
  readonly principalPart: number;
  readonly warn: (message: string) => void;
}

/** The requests, and the state of clients, that are in one place: here, or at another replica. */
export class Places implements Disposable {
  readonly #parts: PlacesParts;
  readonly #held: HeldState;
  readonly #relay: RequestRelay;
  readonly #relayed: RelayedRequests;
  readonly #principals = new RelayedPrincipals();
  readonly #stops: readonly (() => void)[];

  constructor(parts: PlacesParts) {
    this.#parts = parts;
    const { fleet, app, endpoint, settings, principalPart, warn } = parts;
    const { engine, replica, secret, messages, holders } = fleet;
    this.#held = new HeldState({ engine, replica, seal: secret, holdings: app.holdings });
    this.#relay = new RequestRelay({ replica, holders, messages, held: this.#held, warn });
    this.#relayed = new RelayedRequests({
      messages,
      held: this.#held,
      principalPart,
      connectionOf: ({ principal, sessionId }, lane, inFlight) => {
        const known = this.#principals.known(principal);
        const caller = { principal: known, ...(sessionId === undefined ? {} : { sessionId }) };
        return endpoint.connectionOf(caller, lane, inFlight);
      },
    });
    const { server } = endpoint;
    server.elsewhere = this.#relay;
    server.mcpTaskRecords = new EngineMcpTaskRecords(engine, replica, secret);
    this.#stops = [
      replica.onFence(() => void app.giveUpClients(settings.fence)),
      messages.handle(relayKinds.endClient, async (body) => this.#endHere(String(body))),
      messages.handle(relayKinds.separate, () => endpoint.separatePrincipals()),
    ];
    void this.#relay.takeOver();
  }

  /** The request of this principal arrived at another replica, which knows its token. */
  isRelayed(principal: Principal): boolean {
    return this.#principals.has(principal);
  }

  /** A second principal is served. Resolves when no other replica has anything of the first for it, or did not answer in time. */
  async separate(): Promise<void> {
    const { replica, messages } = this.#parts.fleet;
    // One that has just begun is known to the engine alone.
    await replica.renew().catch(() => {});
    const others = replica.live().filter((id) => !replica.isOwn(id));
    const asked = others.map((id) =>
      messages.request(id, relayKinds.separate, undefined, { msMax: separateMsMax }),
    );
    await Promise.allSettled(asked);
  }

  /** A client has other state than before. */
  readonly changed = (clientId: string): void => this.#held.changed(clientId);

  /** The token of a client was taken back: what it has begun ends, wherever that is. */
  endClient(clientId: string): void {
    const { replica, messages } = this.#parts.fleet;
    this.#held.endClient(clientId);
    for (const id of replica.live()) {
      if (!replica.isOwn(id)) messages.notify(id, relayKinds.endClient, clientId).catch(() => {});
    }
  }

  /** Others take over what is held here; resolves when requests of others are answered. */
  async drain(): Promise<void> {
    await this.#relay.leave().catch(() => {});
    await this.#relayed.settled();
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
    this.#relayed[Symbol.dispose]();
    this.#relay[Symbol.dispose]();
    this.#held[Symbol.dispose]();
  }

  #endHere(clientId: string): void {
    this.#held.endClient(clientId);
    this.#parts.app.endClient(clientId);
  }
}
