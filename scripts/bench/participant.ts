/** One server's part in a run: its connection, what was measured of it, and what went wrong. */
import { adapterOf } from "./adapters.ts";
import type { Adapter, ServerName } from "./adapters.ts";
import { Connection } from "./client/connection.ts";
import { OfficialClient } from "./client/official-client.ts";
import type { Launch } from "./client/spawn.ts";
import type { Request } from "./client/message.ts";
import { freePort } from "../../test/e2e/harness/free-port.ts";
import { HttpServer } from "./http/http-server.ts";
import { pinTo } from "./http/pinning.ts";
import type { MetricId } from "./metrics.ts";
import type { PhaseName } from "./phases/phase-names.ts";

export class Participant {
  readonly adapter: Adapter;
  readonly samples = new Map<MetricId, number[]>();
  readonly notes: string[] = [];
  private readonly failedPhases = new Set<PhaseName>();
  private kept: Connection | undefined;
  private keptHttp: HttpServer | undefined;
  private keptClient: Promise<OfficialClient> | undefined;

  constructor(
    readonly name: ServerName,
    private readonly launch: Launch,
    /** How it is started to serve HTTP at a port. */
    private readonly httpLaunch?: (port: number) => Launch,
  ) {
    this.adapter = adapterOf(name);
  }

  /** The file that is executed. */
  get program(): string {
    return this.launch.command[0] ?? "";
  }

  /** A new server process; the caller disposes of it. */
  start(): Connection {
    return new Connection(this.launch);
  }

  /** The long-lived connection, initialized, its tools listed; started anew when the last one has died. */
  connection(): Connection {
    if (this.kept?.usable === true) return this.kept;
    this.kept?.close();
    const connection = this.start();
    this.kept = connection;
    connection.initialize();
    connection.call("tools/list");
    return connection;
  }

  /** A new process that serves HTTP; the caller disposes of it. Throws when this server does not. */
  startHttp(): HttpServer {
    const { http } = this.adapter;
    if (this.httpLaunch === undefined || http === undefined) {
      throw new Error(`${this.name} does not serve HTTP`);
    }
    const port = http.path === undefined ? 0 : freePort();
    const launch = this.httpLaunch(port);
    const command = [...pinTo("server"), ...launch.command];
    const url = http.path && `http://127.0.0.1:${port}${http.path}`;
    return new HttpServer({ ...launch, command }, url);
  }

  /** The long-lived process that serves HTTP. */
  httpServer(): HttpServer {
    this.keptHttp ??= this.startHttp();
    return this.keptHttp;
  }

  /** The long-lived process behind the official SDK's client. */
  officialClient(): Promise<OfficialClient> {
    this.keptClient ??= OfficialClient.open(this.launch);
    return this.keptClient;
  }

  record(metric: MetricId, value: number): void {
    const values = this.samples.get(metric);
    if (values === undefined) this.samples.set(metric, [value]);
    else values.push(value);
  }

  takesPart(phase: PhaseName): boolean {
    if (this.failedPhases.has(phase)) return false;
    return this.adapter.phases === undefined || this.adapter.phases.includes(phase);
  }

  /** A server that failed once leaves the phase, so that one hang does not cost every round its timeout. */
  fail(phase: PhaseName, reason: string): void {
    this.failedPhases.add(phase);
    this.notes.push(`${phase}: ${reason}`);
    this.close();
  }

  close(): void {
    this.kept?.close();
    this.kept = undefined;
    this.keptHttp?.close();
    this.keptHttp = undefined;
    this.keptClient?.then((client) => client.close()).catch(() => {});
    this.keptClient = undefined;
  }
}

export function cheapRequest(participant: Participant, connection: Connection): Request {
  const { cheap } = participant.adapter;
  return cheap === "ping" ? connection.request("ping") : connection.toolRequest(cheap);
}
