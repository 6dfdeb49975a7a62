import { messageOf } from "../base/errors.ts";
import { WorkerSide } from "../base/worker-channel/worker-side.ts";
import { ChannelProcesses } from "../upstream/process/channel-processes.ts";
import type { ServerLogs } from "../upstream/process/server-logs.ts";
import type { ServerProcesses } from "../upstream/process/server-processes.ts";
import { WorkerProcesses } from "../upstream/process/worker-processes.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import type {
  ToUpstreamPost,
  UpstreamRequest,
  FromUpstreamPost,
} from "../upstream/worker/messages.ts";
import {
  type SharedProcesses,
  UpstreamWorkerSide,
} from "../upstream/worker/run-upstream-worker.ts";
import type { UpstreamOptions } from "../upstream/worker/upstream-options.ts";
import type { OpenUpstreams } from "../upstream/worker/upstream-work.ts";
import type { HubLink, HubLinkHandlers, HubVisitor } from "./link/hub-link.ts";

export interface UpstreamSessionsParts {
  /** The work for one client; all of them share connections. */
  readonly open: OpenUpstreams;
  readonly shared: SharedProcesses;
  /** `~/.scorpiox` of this hub: a client with another one has another hub. */
  readonly scorpioxDir: string;
  readonly onChange: () => void;
  readonly log: (line: string) => void;
}

/** One client's session, for `hub status`. */
export interface SessionFacts {
  readonly pid: number;
  readonly projectDir: string | undefined;
  readonly servers: readonly ServerInfo[];
}

/** A client that does not read is let go at this amount: it finds the hub again when it does. */
const waitingBytesMax = 64 * 1024 * 1024;

type Side = WorkerSide<UpstreamOptions, UpstreamRequest, ToUpstreamPost, FromUpstreamPost>;

interface Session {
  readonly visitor: HubVisitor;
  readonly side: Side;
  options: UpstreamOptions | undefined;
  work: UpstreamWorkerSide | undefined;
}

/** The upstream servers of each client, behind its connection: the work that a Worker of the client would do alone. */
export class UpstreamSessions implements AsyncDisposable {
  readonly #parts: UpstreamSessionsParts;
  readonly #live = new Set<Session>();
  readonly #ending = new Set<Promise<void>>();

  constructor(parts: UpstreamSessionsParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#live.size;
  }

  /** Begins a session, which ends with its connection. */
  accept(visitor: HubVisitor, link: HubLink): HubLinkHandlers {
    const send = (text: string): void => {
      if (link.waitingBytes > waitingBytesMax) return link.close();
      link.send(text);
    };
    const session: Session = {
      visitor,
      side: new WorkerSide((options, host) => {
        const { open, shared, scorpioxDir } = this.#parts;
        if (options.dirs.scorpioxDir !== scorpioxDir) throw new Error("another folder's client");
        session.options = options;
        session.work = new UpstreamWorkerSide(options, () => Promise.resolve(open), host, shared);
        return session.work;
      }, send),
      options: undefined,
      work: undefined,
    };
    this.#live.add(session);
    this.#parts.onChange();
    return {
      onText: (text) => {
        try {
          session.side.receive(text);
        } catch (error) {
          this.#parts.log(`The connection of process ${visitor.pid} ended: ${messageOf(error)}`);
          link.close();
        }
      },
      onClosed: () => this.#end(session),
    };
  }

  /** Every session, oldest first. */
  facts(): readonly SessionFacts[] {
    return [...this.#live].map(({ visitor, options, work }) => ({
      pid: visitor.pid,
      projectDir: options?.dirs.projectDir,
      servers: work?.infoList() ?? [],
    }));
  }

  /** Ends all sessions. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#live) this.#end(session);
    await Promise.all(this.#ending);
  }

  #end(session: Session): void {
    if (!this.#live.delete(session)) return;
    const ended = session.side.close().finally(() => {
      this.#ending.delete(ended);
      this.#parts.onChange();
    });
    this.#ending.add(ended);
  }
}

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
