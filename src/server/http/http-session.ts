import { httpRetryMs } from "../../base/limits.ts";
import type { Principal } from "../auth/principal.ts";
import type { Outbox } from "../connection/replies.ts";
import { createConnection, type ServedConnection } from "../context/server-context.ts";
import { Dispatcher } from "../dispatcher.ts";
import {
  encodeEvent,
  encodePriming,
  encodeRetry,
  type EventMemory,
  EventStore,
  keepAliveComment,
  type StoredEvent,
} from "../transport/http/event-store.ts";
import type { LegacySession, LegacySessionParts } from "./http-sessions.ts";
import type { EventSink } from "./response-lane.ts";
import { type Beating, type Heartbeat, replayResponse, SseStream } from "./sse-stream.ts";

/** The stream for what belongs to no request. */
const ownStreamNumber = 0;

/** For what belongs to no request: nothing is kept for a client that has not opened the stream. */
class OwnStreamOutbox implements Outbox {
  readonly #streams: ReadonlyMap<number, SessionStream>;

  constructor(streams: ReadonlyMap<number, SessionStream>) {
    this.#streams = streams;
  }

  get isCongested(): boolean {
    return this.#streams.get(ownStreamNumber)?.isCongested ?? true;
  }

  send(text: string): void {
    this.#streams.get(ownStreamNumber)?.send(text);
  }
}

/** One session of Streamable HTTP: the state of its handshake and its streams. Small while idle: streams are made when needed. */
export class HttpSession implements LegacySession {
  readonly id: string;
  principal: Principal;
  readonly connection: ServedConnection;
  readonly dispatcher: Dispatcher;
  usedAt = performance.now();
  readonly #memory: EventMemory;
  #store: EventStore | undefined;
  /** Streams that have not finished, by their number. */
  readonly #streams = new Map<number, SessionStream>();
  #lastStreamNumber = ownStreamNumber;
  #heartbeat: Heartbeat | undefined;
  #beatNumber = 0;

  constructor({ id, principal, server, memory, profile }: LegacySessionParts) {
    this.#memory = memory;
    this.id = id;
    this.principal = principal;
    this.connection = createConnection(
      server,
      profile(this),
      new OwnStreamOutbox(this.#streams),
      () => ({ principal: this.principal, sessionId: id }),
    );
    this.dispatcher = new Dispatcher(this.connection);
  }

  get #ownStream(): SessionStream | undefined {
    return this.#streams.get(ownStreamNumber);
  }

  /** True while a client reads a stream, or a request is under way: such a session is not idle. */
  get isBusy(): boolean {
    if (this.connection.inFlight.size > 0) return true;
    for (const stream of this.#streams.values()) if (stream.isAttached) return true;
    return false;
  }

  /** A stream for the response to one POST. */
  openStream(): SessionStream {
    this.#lastStreamNumber += 1;
    return this.#open(this.#lastStreamNumber);
  }

  /** Answers GET: the stream for what belongs to no request. Undefined when a client reads it already. */
  openOwnStream(heartbeat: Heartbeat): Response | undefined {
    if (this.#ownStream?.isAttached === true) return undefined;
    if (this.#ownStream !== undefined) return this.#ownStream.resume([]);
    const stream = this.#open(ownStreamNumber);
    this.#beatNumber = heartbeat.add(stream);
    stream.keepAlive();
    this.#heartbeat = heartbeat;
    return stream.response;
  }

  /** Answers GET with `Last-Event-ID`: the rest of that event's stream; undefined for an id that is unknown or gone. */
  resume(lastEventId: string): Response | undefined {
    const replay = this.#store?.after(lastEventId);
    if (replay === undefined) return undefined;
    const stream = this.#streams.get(replay.stream);
    if (stream !== undefined) return stream.resume(replay.events);
    // An id that we never gave: the client gets a live stream instead.
    if (replay.stream > this.#lastStreamNumber) return undefined;
    return replayResponse(replay.events);
  }

  /** A call that was begun in time may finish on its stream. */
  expire(): void {
    this.#ownStream?.disconnect();
  }

  closeStreams(): void {
    this.#heartbeat?.delete(this.#beatNumber);
    for (const stream of this.#streams.values()) stream.finish(undefined);
    this.#store?.clear();
  }

  #open(number: number): SessionStream {
    this.#store ??= new EventStore(this.#memory);
    const primes = this.connection.session.version === "2025-11-25";
    const stream = new SessionStream({
      number,
      store: this.#store,
      primes,
      onFinished: () => this.#streams.delete(number),
    });
    this.#streams.set(number, stream);
    return stream;
  }
}

interface SessionStreamParts {
  readonly number: number;
  readonly store: EventStore;
  /** 2025-11-25: an event with an id and no data comes first, so that a client can come back from the start. */
  readonly primes: boolean;
  /** The stream has ended; its events stay in the store. */
  readonly onFinished?: () => void;
}

/**
 * One stream of a legacy session. It lives on without a connection: what is sent is kept, and a client that
 * comes back with the id of the last event it saw gets the rest (docs/spec/legacy.md#streams).
 */
class SessionStream implements EventSink, Beating {
  readonly #parts: SessionStreamParts;
  #attached: SseStream | undefined;
  #isFinished = false;
  readonly response: Response;
  readonly closeEarly?: () => void;

  constructor(parts: SessionStreamParts, headers?: Readonly<Record<string, string>>) {
    this.#parts = parts;
    this.response = this.#attach(headers).response;
    if (!parts.primes) return;
    this.#attached?.write(encodePriming(parts.store.append(parts.number, "")));
    this.closeEarly = () => this.disconnect();
  }

  /** True while a client reads it. */
  get isAttached(): boolean {
    return this.#attached?.isOver === false;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get isCongested(): boolean {
    return this.#attached?.isCongested ?? false;
  }

  send(text: string): void {
    const event = this.#stored(text);
    this.#attached?.write(event);
  }

  /** Its head is out from the start. */
  get isSilent(): boolean {
    return false;
  }

  beat(): void {
    this.keepAlive();
  }

  keepAlive(): void {
    this.#attached?.write(keepAliveComment);
  }

  finish(text: string | undefined): void {
    this.#isFinished = true;
    const event = text === undefined ? undefined : this.#stored(text);
    this.#attached?.end(event);
    this.#parts.onFinished?.();
  }

  /** A client has come back: `missed` first, then what is still to come. It takes the place of an earlier reader. */
  resume(missed: readonly StoredEvent[]): Response {
    this.#attached?.end();
    const stream = this.#attach();
    stream.write(missed.map((event) => encodeEvent(event)).join("") || keepAliveComment);
    if (this.#isFinished) stream.end();
    return stream.response;
  }

  /** Closes the connection alone: the client may come back. */
  disconnect(): void {
    this.#attached?.write(encodeRetry(httpRetryMs));
    this.#attached?.end();
    this.#attached = undefined;
  }

  /** Keeps the message and returns its event. */
  #stored(text: string): string {
    const { store, number } = this.#parts;
    return encodeEvent({ id: store.append(number, text), data: text });
  }

  #attach(headers?: Readonly<Record<string, string>>): SseStream {
    const stream = new SseStream(() => {
      // A broken connection cancels nothing in a legacy session.
      if (this.#attached === stream) this.#attached = undefined;
    }, headers);
    this.#attached = stream;
    return stream;
  }
}
