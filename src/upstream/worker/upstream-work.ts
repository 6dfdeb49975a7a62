import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import type { UpstreamEvent, Upstreams } from "../upstreams.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

/** The methods of `Upstreams` that the Worker implements unchanged. */
type SharedWork = Pick<
  Upstreams,
  "call" | "checkArguments" | "search" | "control" | "subscribe" | "unsubscribe" | "endClient"
>;

/** The work of the Worker, independent of messages. `manager/` implements it; `worker/` carries its calls across. */
export interface UpstreamWork extends SharedWork, AsyncDisposable {
  /** Reads the configuration, publishes cached catalogues, then starts the servers that must run. Never rejects. */
  start(): Promise<void>;
  infoList(): readonly ServerInfo[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** The services of the main thread for the work. */
export interface UpstreamHost {
  /** Starts a process in a group of its own, marked, guarded and reaped by the main thread. */
  startProcess(launch: ProcessLaunch): Promise<UpstreamProcess>;
  /**
   * Writes a line to the server's log, such as output that is not a message, or a warning. The line must not contain
   * secrets.
   */
  log(server: string, line: string): void;
  /** The caller publishes at most one in 100 ms. */
  publish(snapshot: UpstreamSnapshot): void;
  notify(event: UpstreamEvent): void;
}

export type OpenUpstreams = (options: UpstreamOptions, host: UpstreamHost) => UpstreamWork;
