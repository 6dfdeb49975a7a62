import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import type { UpstreamEvent, Upstreams } from "../upstreams.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

/** What of `Upstreams` the Worker does just so. */
type SharedWork = Pick<
  Upstreams,
  "call" | "checkArguments" | "search" | "control" | "subscribe" | "unsubscribe" | "endClient"
>;

/** What the Worker does, apart from how messages reach it. `manager/` makes one; `worker/` carries its calls across. */
export interface UpstreamWork extends SharedWork {
  /** Reads the configuration, publishes what the cache knows, then starts what has to be started. Never rejects. */
  start(): Promise<void>;
  infoList(): readonly ServerInfo[];
  close(): Promise<void>;
}

/** What it may ask of the main thread. */
export interface UpstreamHost {
  /** Starts a process in a group of its own, marked, guarded and reaped by the main thread. */
  startProcess(launch: ProcessLaunch): Promise<UpstreamProcess>;
  /** Puts a line into the server's log: what it printed that is no message, warnings about it. Secrets are out of it. */
  log(server: string, line: string): void;
  /** Bounded by whoever calls: at most one in 100 ms. */
  publish(snapshot: UpstreamSnapshot): void;
  notify(event: UpstreamEvent): void;
}

export type OpenUpstreams = (options: UpstreamOptions, host: UpstreamHost) => UpstreamWork;
