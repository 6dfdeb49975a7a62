import { httpDrainRetryMs, httpRetryMs } from "../../base/limits.ts";
import type { Principal } from "../auth/principal.ts";
import type { Caller } from "../connection/elsewhere.ts";
import type { Outbox } from "../connection/replies.ts";
import { createConnection, type ServedConnection } from "../context/server-context.ts";
import { Dispatcher } from "../dispatcher.ts";
import {
  encodeEvent,
  encodePriming,
  encodeRetry,
  type EventLog,
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
  /** The stream where another replica has it. */
  elsewhere: Outbox | undefined;

  constructor(streams: ReadonlyMap<number, SessionStream>) {
    this.#streams = streams;
  }

  get isCongested(): boolean {
    return this.#stream?.isCongested ?? true;
  }

  send(text: string): void {
    this.#stream?.send(text);
  }

  get #stream(): Outbox | undefined {
    return this.#streams.get(ownStreamNumber) ?? this.elsewhere;
  }
}

/** One session of Streamable HTTP: the state of its handshake and its streams. Small while idle: streams are made when needed. */
export class HttpSession implements LegacySession {
  readonly id: string;
  principal: Principal;
  readonly connection: ServedConnection;
  readonly dispatcher: Dispatcher;
  usedAt = performance.now();
  readonly #createLog: () => EventLog;
  #log: EventLog | undefined;
  /** Streams that have not finished, by their number. */
  readonly #streams = new Map<number, SessionStream>();
  readonly #outbox = new OwnStreamOutbox(this.#streams);
  #lastStreamNumber = ownStreamNumber;
  #heartbeat: Heartbeat | undefined;
  #beatNumber = 0;

  constructor({ id, principal, server, memory, profile, createLog, ids }: LegacySessionParts) {
    this.#createLog = () => createLog?.(this, memory) ?? new EventStore(memory);
    this.id = id;
    this.principal = principal;
    const caller = (): Caller => ({ principal: this.principal, sessionId: id });
    const shared = ids === undefined ? {} : { ids, holdsStream: () => this.holdsOwnStream };
    this.connection = createConnection(server, profile(this), this.#outbox, { caller, ...shared });
    this.dispatcher = new Dispatcher(this.connection);
  }

  get #ownStream(): SessionStream | undefined {
    return this.#streams.get(ownStreamNumber);
  }

  /** Whether its own stream is here, with a reader or waiting for one to come back. */
  get holdsOwnStream(): boolean {
    return this.#ownStream !== undefined;
  }

  /** A client reads its own stream here. */
  get isOwnStreamRead(): boolean {
    return this.#ownStream?.isAttached === true;
  }

  /** Where its own stream is when it is not here; undefined: nowhere. */
  set ownStreamElsewhere(outbox: Outbox | undefined) {
    this.#outbox.elsewhere = outbox;
  }

  /** True while a client reads a stream, or a request is under way: such a session is not idle. */
  get isBusy(): boolean {
    if (this.connection.inFlight.size > 0) return true;
    for (const stream of this.#streams.values()) if (stream.isAttached) return true;
    return false;
  }

  /**
   * A stream for the response to one POST.
   * @param ids of its requests, as JSON
   */
  openStream(ids?: () => string): SessionStream {
    this.#lastStreamNumber += 1;
    return this.#open(this.#lastStreamNumber, [], ids);
  }

  /**
   * Answers GET: the stream for what belongs to no request. Undefined when a client reads it already.
   * @param missed events of the stream that another replica had; given to a client that comes back, which replaces a reader
   */
  openOwnStream(heartbeat: Heartbeat, missed?: readonly StoredEvent[]): Response | undefined {
    if (this.#ownStream?.isAttached === true && missed === undefined) return undefined;
    if (this.#ownStream !== undefined) return this.#ownStream.resume(missed ?? []);
    const stream = this.#open(ownStreamNumber, missed ?? []);
    this.#beatNumber = heartbeat.add(stream);
    stream.keepAlive();
    this.#heartbeat = heartbeat;
    return stream.response;
  }

  /** Another replica takes its own stream over. */
  leaveOwnStream(): void {
    this.#heartbeat?.delete(this.#beatNumber);
    this.#ownStream?.disconnect();
    this.#streams.delete(ownStreamNumber);
  }

  /** Ends the connection of one stream, which goes on: its client has come back elsewhere. */
  disconnect(stream: number): void {
    this.#streams.get(stream)?.disconnect();
  }

  /** Answers GET with `Last-Event-ID`: the rest of that event's stream; undefined for an id that is unknown or gone. */
  resume(lastEventId: string): Response | undefined {
    const replay = this.#log?.after(lastEventId);
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

  drain(): void {
    for (const stream of this.#streams.values()) stream.hintRetry(httpDrainRetryMs);
    // A client whose calls are under way may be asked something on it.
    if (this.connection.inFlight.size === 0) this.#ownStream?.close();
  }

  closeStreams(): void {
    this.#heartbeat?.delete(this.#beatNumber);
    for (const stream of this.#streams.values()) stream.finish(undefined);
    this.#log?.clear();
  }

  /** The process goes, the session does not: its clients find the rest of their streams at other replicas. */
  leaveStreams(): void {
    this.#heartbeat?.delete(this.#beatNumber);
    for (const stream of this.#streams.values()) stream.disconnect();
  }

  #open(number: number, missed: readonly StoredEvent[], ids?: () => string): SessionStream {
    const log = (this.#log ??= this.#createLog());
    const primes = this.connection.session.version === "2025-11-25";
    const stream = new SessionStream({
      number,
      log,
      primes,
      missed,
      ids,
      onFinished: () => this.#streams.delete(number),
    });
    this.#streams.set(number, stream);
    return stream;
  }
}

function encodeAll(events: readonly StoredEvent[]): string {
  return events.map((event) => encodeEvent(event)).join("");
}

interface SessionStreamParts {
  readonly number: number;
  readonly log: EventLog;
  /** Events that come first, to a client that was elsewhere before. */
  readonly missed: readonly StoredEvent[];
  readonly ids: (() => string) | undefined;
  /** 2025-11-25: an event with an id and no data comes first, so that a client can come back from the start. */
  readonly primes: boolean;
  /** The stream has ended; its events stay in the store. */
  readonly onFinished: () => void;
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

  constructor(parts: SessionStreamParts) {
    this.#parts = parts;
    this.response = this.#attach().response;
    if (parts.missed.length > 0) this.#attached?.write(encodeAll(parts.missed));
    if (!parts.primes) return;
    this.#keep("", (id) => this.#attached?.write(encodePriming(id)));
    this.closeEarly = () => this.#disconnectSoon();
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
    this.#keep(text, (id) => this.#attached?.write(encodeEvent({ id, data: text })));
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
    this.#keep(text ?? "", (id) => this.#end(text, id), true);
  }

  #end(text: string | undefined, id: string): void {
    this.#attached?.end(text === undefined ? undefined : encodeEvent({ id, data: text }));
    this.#parts.onFinished();
  }

  /** A client has come back: `missed` first, then what is still to come. It takes the place of an earlier reader. */
  resume(missed: readonly StoredEvent[]): Response {
    this.#attached?.end();
    const stream = this.#attach();
    stream.write(encodeAll(missed) || keepAliveComment);
    if (this.#isFinished) {
      stream.end();
      this.#parts.onFinished();
    }
    return stream.response;
  }

  /** Closes the connection alone: the client may come back. */
  disconnect(): void {
    this.hintRetry(httpRetryMs);
    this.close();
  }

  /** The events before, which may be on their way into the log, go out first: without one of them nobody could come back. */
  #disconnectSoon(): void {
    const settled = this.#parts.log.settled?.();
    if (settled === undefined) this.disconnect();
    else void settled.then(() => this.disconnect());
  }

  /** How soon the client shall come back when the connection ends. */
  hintRetry(retryMs: number): void {
    this.#attached?.write(encodeRetry(retryMs));
  }

  /** Ends the connection without another word. */
  close(): void {
    this.#attached?.end();
    this.#attached = undefined;
  }

  #keep(text: string, out: (id: string) => void, isLast = false): void {
    const { log, number, ids } = this.#parts;
    log.append(number, text, out, isLast, ids?.());
  }

  #attach(): SseStream {
    const stream = new SseStream(() => {
      // A broken connection cancels nothing in a legacy session.
      if (this.#attached === stream) this.#attached = undefined;
    });
    this.#attached = stream;
    return stream;
  }
}
