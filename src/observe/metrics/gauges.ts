import { byLabel, type MetricFamily, single } from "./family.ts";
import { metrics } from "./metric-list.ts";

/** The state of the server in numbers, at one moment. */
export interface ServerFigures {
  readonly sessions: number;
  readonly requestsInFlight: number;
  readonly eventChars: number;
  readonly isReady: boolean;
  /** Absent before the first call. */
  readonly tools?: ToolFigures | undefined;
  /** MCP servers by state. */
  readonly upstream: ReadonlyMap<string, number>;
  /** Workers that were lost, by kind. */
  readonly workersLost: ReadonlyMap<string, number>;
  /** Absent without an access log. */
  readonly logLost?: number | undefined;
  /** Absent without traces; by what became of them. */
  readonly spans?: ReadonlyMap<string, number> | undefined;
  /** Absent while the server uses no hub. */
  readonly hub?: HubFigures | undefined;
}

/** Figures of the services behind built-in tools. */
interface ToolFigures {
  readonly workers: number;
  readonly queue: number;
  /** Background tasks that are running. */
  readonly background: number;
}

/** Figures of the process that all clients of the user share. */
export interface HubFigures {
  readonly clients: number;
  readonly servers: number;
  /** Kept tasks that are running. */
  readonly keptTasks: number;
}

export function gaugeFamilies(figures: ServerFigures): readonly MetricFamily[] {
  const { sessions, requestsInFlight, eventChars, isReady, tools, hub } = figures;
  return [
    single(metrics.sessions, sessions),
    single(metrics.inFlight, requestsInFlight),
    single(metrics.eventChars, eventChars),
    single(metrics.ready, isReady ? 1 : 0),
    single(metrics.workers, tools?.workers ?? 0),
    single(metrics.queue, tools?.queue ?? 0),
    byLabel(metrics.workersLost, "worker", figures.workersLost),
    single(metrics.background, tools?.background ?? 0),
    byLabel(metrics.upstream, "state", figures.upstream),
    ...(figures.logLost === undefined ? [] : [single(metrics.logLost, figures.logLost)]),
    ...(figures.spans === undefined ? [] : [byLabel(metrics.spans, "result", figures.spans)]),
    ...(hub === undefined ? [] : hubFamilies(hub)),
    ...processFamilies(),
  ];
}

function hubFamilies({ clients, servers, keptTasks }: HubFigures): readonly MetricFamily[] {
  return [
    single(metrics.hubClients, clients),
    single(metrics.hubServers, servers),
    single(metrics.hubKept, keptTasks),
  ];
}

function processFamilies(): readonly MetricFamily[] {
  const { user, system } = process.cpuUsage();
  return [
    single(metrics.memory, process.memoryUsage.rss()),
    single(metrics.cpu, (user + system) / 1e6),
    single(metrics.start, Math.round(performance.timeOrigin) / 1000),
  ];
}
