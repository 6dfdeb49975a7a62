import { ChannelProcesses } from "../upstream/process/channel-processes.ts";
import type { ServerLogs } from "../upstream/process/server-logs.ts";
import type { ServerProcesses } from "../upstream/process/server-processes.ts";
import { WorkerProcesses } from "../upstream/process/worker-processes.ts";
import type { SharedProcesses } from "../upstream/worker/run-upstream-worker.ts";

/** The processes of all upstream servers, for work on the same thread: both ends of the messages between a Worker and its main thread. */
export class JoinedProcesses implements SharedProcesses, AsyncDisposable {
  readonly logs: ServerLogs;
  readonly processes: WorkerProcesses;
  readonly #channel: ChannelProcesses;

  constructor(servers: () => Promise<ServerProcesses>, logs: ServerLogs) {
    this.logs = logs;
    this.#channel = new ChannelProcesses(servers, (report) => this.processes.receive(report));
    this.processes = new WorkerProcesses((request) => this.#channel.receive(request), logs);
  }

  /** Closes the inputs of all servers, which makes most of them exit, and ends the rest. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.processes.endInputs();
    await this.#channel.endAll();
    await this.#channel[Symbol.asyncDispose]();
    await this.logs.flush();
  }
}
