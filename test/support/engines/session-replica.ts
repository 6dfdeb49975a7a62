import { Changes, type ServerFeatures } from "../../../src/calls/features.ts";
import { ChangeLog } from "../../../src/fleet/changes/change-log.ts";
import { FleetSessions } from "../../../src/fleet/sessions/fleet-sessions.ts";
import { LiveConnections } from "../../../src/server/connection/live-connections.ts";
import type { ReplicaClock } from "../../../src/fleet/replicas/replica.ts";
import { ServerContext } from "../../../src/server/context/server-context.ts";
import { FakeTools } from "../../server/harness.ts";
import { type EndpointFixture, startEndpoint } from "../../server/http/endpoint-fixture.ts";
import { startReplica, type TestReplica } from "./fleet.ts";

/** An endpoint without a port, which shares its sessions with the others at the same engine. */
export interface SessionReplica extends EndpointFixture, AsyncDisposable {
  readonly fleet: TestReplica;
  readonly table: FleetSessions;
  readonly changes: Changes;
  readonly tools: FakeTools;
  readonly connections: LiveConnections;
  /** Breaks off as a killed process would. */
  vanish(): void;
}

export interface SessionReplicaOptions {
  readonly principalMax?: number;
  readonly idleMs?: number;
  readonly features?: Partial<ServerFeatures>;
  readonly now?: ReplicaClock;
}

/** @param url of the engine */
export async function startSessionReplica(
  url: string,
  { principalMax = 1_000, idleMs, features, now }: SessionReplicaOptions = {},
): Promise<SessionReplica> {
  const fleet = await startReplica(url, now === undefined ? {} : { now });
  const changes = new Changes();
  const { engine, replica, tail } = fleet;
  const log = await ChangeLog.start({ engine, replica, tail, changes });
  const table = await FleetSessions.start({ fleet, log, principalMax, idleMs });
  const tools = new FakeTools();
  const connections = new LiveConnections();
  const fixture = startEndpoint({
    server: new ServerContext({
      features: { tools, changes, changing: new Set(["tools", "resources"]), ...features },
      instructions: "Use the tools.",
      connections,
      stateKey: () => Promise.resolve(fleet.secret.stateKeys()),
    }),
    shareSessions: table.over,
    requestIds: table.requestIds,
    createLog: table.createLog,
    pairRelay: table.pairRelay,
    ssePair: { stream: "/sse", messages: "/messages" },
  });
  const close = fixture[Symbol.dispose];
  return Object.assign(fixture, {
    fleet,
    table,
    changes,
    tools,
    connections,
    vanish: () => fleet.vanish(),
    [Symbol.asyncDispose]: async () => {
      table.leave();
      close();
      log[Symbol.dispose]();
      await fleet[Symbol.asyncDispose]();
    },
  });
}
