import { httpSessionsMax } from "../../src/base/limits.ts";
import { ChangeLog } from "../../src/fleet/changes/change-log.ts";
import { type Fleet, openFleet } from "../../src/fleet/open-fleet.ts";
import { HeldState } from "../../src/fleet/places/held-state.ts";
import { RelayedRequests } from "../../src/fleet/places/relayed-requests.ts";
import { RequestRelay } from "../../src/fleet/places/request-relay.ts";
import { EngineMcpTaskRecords } from "../../src/fleet/places/mcp-task-records.ts";
import { FleetSessions } from "../../src/fleet/sessions/fleet-sessions.ts";
import type { ServerContext } from "../../src/server/context/server-context.ts";
import type { HttpEndpoint, HttpEndpointParts } from "../../src/server/http/http-endpoint.ts";

/** The fixture as a replica. */
export interface FixtureReplica {
  readonly context: ServerContext;
  readonly fixture: FixtureFleet;
}

/** The fixture as one of several replicas, put together as the product does (`compose/http/fleet.ts`, `compose/http/places.ts`). */
export class FixtureFleet {
  #relayed: RelayedRequests | undefined;

  private constructor(
    private readonly fleet: Fleet,
    private readonly sessions: FleetSessions,
  ) {}

  /** @param sharedUrl of a Redis that only the fixtures use */
  static async open(
    sharedUrl: string,
    server: (fleet: Fleet) => ServerContext,
  ): Promise<FixtureReplica> {
    const warn = (message: string): void => console.error(message);
    const fleet = await openFleet({ sharedUrl, readSecret: () => "k".repeat(44), warn });
    const context = server(fleet);
    const { engine, replica, tail } = fleet;
    const { changes } = context.features;
    const log = await ChangeLog.start({ engine, replica, tail, changes });
    const sessions = await FleetSessions.start({ fleet, log, principalMax: httpSessionsMax });
    return { context, fixture: new FixtureFleet(fleet, sessions) };
  }

  /** Requests of other replicas under way here. */
  get relayedCount(): number {
    return this.#relayed?.size ?? 0;
  }

  get forEndpoint(): Partial<HttpEndpointParts> {
    const { over: shareSessions, requestIds, createLog, pairRelay } = this.sessions;
    return { shareSessions, requestIds, createLog, pairRelay };
  }

  join(endpoint: HttpEndpoint): void {
    const { engine, replica, messages, holders, secret } = this.fleet;
    const warn = (message: string): void => console.error(message);
    const holdings = { saved: () => undefined, restore: () => {} };
    const held = new HeldState({ engine, replica, seal: secret, holdings });
    const relay = new RequestRelay({ replica, holders, messages, held, warn });
    const connectionOf: HttpEndpoint["connectionOf"] = (...asked) =>
      endpoint.connectionOf(...asked);
    // It answers requests of others from now on.
    this.#relayed = new RelayedRequests({ messages, held, connectionOf });
    endpoint.server.elsewhere = relay;
    endpoint.server.mcpTaskRecords = new EngineMcpTaskRecords(engine, replica, secret);
  }
}
