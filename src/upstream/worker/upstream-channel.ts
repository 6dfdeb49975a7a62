import type { Abortable } from "../../base/cancellation.ts";
import { AppError, failureOf, messageOf } from "../../base/errors.ts";
import type { ChannelPort } from "../../base/worker-channel/channel-port.ts";
import { type HeartbeatTimes, WorkerChannel } from "../../base/worker-channel/worker-channel.ts";
import { ChannelProcesses } from "../process/channel-processes.ts";
import type { ServerProcesses } from "../process/server-processes.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import type { UpstreamCallEvents, UpstreamEvent } from "../upstreams.ts";
import type { FromUpstreamPost, LaneEvent, ToUpstreamPost, UpstreamRequest } from "./messages.ts";
import { type ChangedLists, SnapshotAssembly } from "./snapshot-slices.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

interface UpstreamChannelEvents {
  /** The Worker threw, exited or hung. Called once, and not after `close`. */
  onGone(reason: string): void;
  onSnapshot(snapshot: UpstreamSnapshot, changed: ChangedLists): void;
  onEvent(event: UpstreamEvent): void;
  warn(message: string): void;
}

interface UpstreamChannelParts {
  readonly port: ChannelPort;
  readonly options: UpstreamOptions;
  readonly timing: HeartbeatTimes;
  readonly portName: string;
  readonly processes: () => Promise<ServerProcesses>;
  readonly events: UpstreamChannelEvents;
}

type Channel = WorkerChannel<
  UpstreamOptions,
  UpstreamRequest,
  UpstreamCallEvents | undefined,
  ToUpstreamPost,
  FromUpstreamPost
>;
type PostOf<Kind> = Extract<FromUpstreamPost, { kind: Kind }>;
type CallEvent = Exclude<LaneEvent, { kind: "event" }>;

/** The main thread's side of one upstream Worker: its channel, and the processes that it has started. */
export class UpstreamChannel {
  readonly #channel: Channel;
  readonly #events: UpstreamChannelEvents;
  readonly #processes: ChannelProcesses;
  readonly #assembly = new SnapshotAssembly();

  constructor({ port, options, timing, portName, processes, events }: UpstreamChannelParts) {
    this.#events = events;
    this.#processes = new ChannelProcesses(processes, (report) =>
      this.post({ kind: "process", report }),
    );
    this.#channel = new WorkerChannel({
      port,
      options,
      heartbeat: { ...timing, isSteady: true },
      lostText: (reason) =>
        `The ${portName} was lost: ${reason}. The call may have happened: check before you repeat it.`,
      events: {
        onGone: (reason) => {
          void this.#processes[Symbol.asyncDispose]();
          events.onGone(reason);
        },
        onPost: (post) => this.#receive(post),
        onMishap: (reason) =>
          events.warn(`internal error in the Worker for MCP servers: ${reason}`),
      },
    });
  }

  /** The value of the reply; a result as `JsonText`. @throws AppError as `WorkerChannel.call` */
  ask(request: UpstreamRequest, signal?: Abortable, events?: UpstreamCallEvents): Promise<unknown> {
    return this.#channel.call(request, events, signal);
  }

  post(post: ToUpstreamPost): void {
    this.#channel.post(post);
  }

  /**
   * Ends the Worker and everything that it has started, and cancels waiting calls. @param msMax the time for the Worker
   * to close by itself
   */
  async close(msMax: number): Promise<void> {
    this.#channel.failAll(new AppError("cancelled", "The server is shutting down."));
    const closed = this.#channel.close(msMax);
    // The Worker closes the inputs of its servers first; their time to end begins now.
    const ended = this.#processes.endAll();
    await closed;
    await Promise.all([ended, this.#processes[Symbol.asyncDispose]()]);
  }

  #receive(post: FromUpstreamPost): void {
    switch (post.kind) {
      case "ask":
        return void this.#answer(post);
      case "keep":
        return void this.#keep(post);
      case "events":
        return this.#takeEvents(post.events);
      case "slice":
        return this.#takeSlice(post.slice);
      case "process":
        return this.#processes.receive(post.request);
    }
  }

  async #answer({ id, askId, request }: PostOf<"ask">): Promise<void> {
    try {
      const events = this.#channel.contextOf(id);
      if (events === undefined) throw new AppError("cancelled", "Nobody waits for this call.");
      this.post({ kind: "answer", askId, answer: await events.ask(request) });
    } catch (error) {
      this.post({ kind: "refusal", askId, ...failureOf(error) });
    }
  }

  /** Always sends an answer, since the result waits for it. */
  async #keep({ id, askId, output }: PostOf<"keep">): Promise<void> {
    const events = this.#channel.contextOf(id);
    const taskId = await events?.keep?.(output).catch((error: unknown) => {
      this.#warn(error);
      return undefined;
    });
    this.post({ kind: "answer", askId, answer: { taskId } });
  }

  #takeEvents(events: readonly LaneEvent[]): void {
    for (const event of events) {
      if (event.kind === "event") this.#events.onEvent(event.event);
      else this.#tellCall(event);
    }
    this.post({ kind: "events-taken" });
  }

  #tellCall(event: CallEvent): void {
    const events = this.#channel.contextOf(event.id);
    try {
      if (event.kind === "log") return events?.log?.(event.level, event.data, event.logger);
      events?.onProgress?.(event.progress, event.total, event.message);
    } catch (error) {
      this.#warn(error);
    }
  }

  #takeSlice(slice: PostOf<"slice">["slice"]): void {
    const done = this.#assembly.add(slice);
    if (done !== undefined) this.#events.onSnapshot(done.snapshot, done.changed);
    this.post({ kind: "slice-taken" });
  }

  #warn(error: unknown): void {
    this.#events.warn(`internal error: ${messageOf(error)}`);
  }
}
