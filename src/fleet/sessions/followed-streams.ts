import { createFault, encodeError, errorCodes, isRequestId } from "../../protocol/json-rpc.ts";
import type { HttpSession } from "../../server/http/http-session.ts";
import {
  type Beating,
  type Heartbeat,
  replayResponse,
  SseStream,
} from "../../server/http/sse-stream.ts";
import { encodeEvent, keepAliveComment } from "../../server/transport/http/event-store.ts";
import type { Channels } from "../engine/channels.ts";
import type { Replica } from "../replicas/replica.ts";
import type { SessionRecords } from "./session-records.ts";
import type { SharedEvent } from "./session-seal.ts";
import type { EventPlace } from "./shared-event-log.ts";

export interface FollowedStreamsParts {
  readonly channels: Channels;
  readonly replica: Replica;
  readonly records: SessionRecords;
}

/**
 * The streams of other replicas that a client reads here, because it has come back to this one: the rest is replayed
 * from the engine and followed to the end of the stream. When the replica that runs the request is gone, that is the end.
 */
export class FollowedStreams implements Disposable {
  readonly #parts: FollowedStreamsParts;
  readonly #open = new Set<FollowedStream>();
  readonly #stop: () => void;

  constructor(parts: FollowedStreamsParts) {
    this.#parts = parts;
    this.#stop = parts.replica.onGone((id) => {
      for (const stream of this.#open)
        if (stream.name.startsWith(`${id}.`)) void this.#lose(stream);
    });
  }

  /** The sessions of which something is read here. */
  get sessions(): readonly HttpSession[] {
    return [...this.#open].map(({ session }) => session);
  }

  /** The rest of the stream after an event; undefined for a stream that is unknown or forgotten. @throws SharedEngineError */
  async follow(
    session: HttpSession,
    { replica, stream: index, number }: EventPlace,
    heartbeat: Heartbeat,
  ): Promise<Response | undefined> {
    const { records, channels } = this.#parts;
    const stream = new FollowedStream(session, `${replica}.${index}`, number);
    // Listened to before the look: nothing falls between the two.
    const channel = records.channelOf(session.id);
    const stop = await channels.listen(
      channel,
      (text) => stream.take(records.toldEvent(session.id, text)),
      () => void this.#lookAgain(stream),
    );
    stream.onEnd(() => {
      stop();
      this.#open.delete(stream);
      heartbeat.delete(beat);
    });
    const beat = heartbeat.add(stream);
    try {
      const response = await this.#start(stream);
      if (response === undefined) stream.end();
      return response;
    } catch (error) {
      stream.end();
      throw error;
    }
  }

  /** The client reads this stream elsewhere from now on. */
  drop(sessionId: string, name: string): void {
    for (const stream of this.#open) {
      if (stream.session.id === sessionId && stream.name === name) stream.end();
    }
  }

  /** The session has ended. */
  end(sessionId: string): void {
    for (const stream of this.#open) if (stream.session.id === sessionId) stream.end();
  }

  [Symbol.dispose](): void {
    this.#stop();
    for (const stream of this.#open) stream.end();
  }

  async #start(stream: FollowedStream): Promise<Response | undefined> {
    const { records, replica } = this.#parts;
    const { session, name } = stream;
    const [events, ids] = await Promise.all([
      records.events(session.id),
      records.openIds(session.id, name),
    ]);
    const own = events.filter((event) => event.stream === name);
    if (own.length === 0 && ids === undefined) return undefined;
    const [last] = own.slice(-1);
    if (last?.isLast === true) {
      stream.end();
      return replayResponse(stream.missedOf(own));
    }
    this.#open.add(stream);
    stream.begin(own);
    // One that has begun a moment ago is not in the list of the last renewal.
    if (!(await replica.isLiveNow(name.slice(0, name.indexOf("."))))) await this.#lose(stream);
    return stream.response;
  }

  async #lookAgain(stream: FollowedStream): Promise<void> {
    if (stream.isOver) return;
    try {
      const events = await this.#parts.records.events(stream.session.id);
      for (const event of events) stream.take(event);
    } catch {
      // The engine is away again: the next return looks again.
    }
  }

  /** Nobody will answer: an error in place of the reply, which one replica writes and all that follow read. */
  async #lose(stream: FollowedStream): Promise<void> {
    const { records } = this.#parts;
    const { session, name } = stream;
    try {
      const ids = await records.openIds(session.id, name);
      const event: SharedEvent = {
        stream: name,
        number: stream.number + lostStep,
        data: lostReply(ids),
        isLast: true,
      };
      await records.append(session.id, event, { onlyIfOpen: true });
      await this.#lookAgain(stream);
    } finally {
      stream.end();
    }
  }
}

/** More than the replica that is gone can have sent since. */
const lostStep = 1_000_000;

function lostReply(ids: string | undefined): string {
  const asked: unknown = ids === undefined ? [] : JSON.parse(ids);
  const fault = createFault(
    errorCodes.internalError,
    "The replica that ran this request is gone, and its answer with it. It may or may not have run: check before you repeat it.",
  );
  const replies = [asked]
    .flat()
    .filter(isRequestId)
    .map((id) => encodeError(id, fault));
  return Array.isArray(asked) ? `[${replies.join(",")}]` : (replies[0] ?? "");
}

/** A stream of another replica, with its reader here. */
class FollowedStream implements Beating {
  /** Its head is out from the start. */
  readonly isSilent = false;
  /** Events that came while those before them were read. */
  #early: SharedEvent[] | undefined = [];
  #onEnd: (() => void) | undefined;
  readonly #out = new SseStream(() => this.end());

  /** @param number of the last event that the client has */
  constructor(
    readonly session: HttpSession,
    readonly name: string,
    public number: number,
  ) {}

  get response(): Response {
    return this.#out.response;
  }

  get isOver(): boolean {
    return this.#out.isOver;
  }

  /** Called once. */
  onEnd(hook: () => void): void {
    this.#onEnd = hook;
  }

  beat(): void {
    this.#out.write(keepAliveComment);
  }

  missedOf(events: readonly SharedEvent[]): { readonly id: string; readonly data: string }[] {
    return events
      .filter(({ number, data }) => number > this.number && data !== "")
      .map(({ number, data }) => ({ id: `${this.name}-${number}`, data }));
  }

  /** The events so far, then those that came meanwhile. */
  begin(events: readonly SharedEvent[]): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.beat();
    for (const event of [...events, ...early]) this.take(event);
  }

  take(event: SharedEvent | undefined): void {
    if (event === undefined || event.stream !== this.name) return;
    if (this.#early !== undefined) return void this.#early.push(event);
    if (event.number <= this.number) return;
    this.number = event.number;
    if (event.data !== "")
      this.#out.write(encodeEvent({ id: `${this.name}-${event.number}`, data: event.data }));
    if (event.isLast) this.end();
  }

  end(): void {
    this.#out.end();
    this.#onEnd?.();
    this.#onEnd = undefined;
  }
}
