import type { Principal } from "../auth/principal.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { ClassifiedMessage } from "../../protocol/classify.ts";
import { legacyVersions } from "../../protocol/versions.ts";
import { encodeEvent, keepAliveComment } from "../transport/http/sse.ts";
import { createConnection, type ServedConnection } from "../context/server-context.ts";
import { Dispatcher } from "../dispatcher.ts";
import type { Outbox } from "../connection/outbox.ts";
import { PipeLane } from "../connection/pipe-lane.ts";
import type { Beating, Heartbeat } from "./heartbeat.ts";
import type { LegacySession, LegacySessionParts } from "./legacy-session.ts";
import { SseStream } from "./sse-stream.ts";

/** A session of HTTP+SSE (2024-11-05): its one stream is a pipe to the client, and its life. */
export class SsePairSession implements LegacySession, Beating, Outbox {
  readonly id: string;
  principal: Principal;
  usedAt = performance.now();
  readonly connection: ServedConnection;
  /** The head of its response is out from the start. */
  readonly isSilent = false;
  readonly #stream = new SseStream(() => this.#onGone?.());
  readonly #lane = new PipeLane(this);
  readonly #dispatcher: Dispatcher;
  #onGone: (() => void) | undefined;
  #heartbeat: Heartbeat | undefined;
  #beatNumber = 0;

  constructor({ id, principal, server, profile }: LegacySessionParts) {
    this.id = id;
    this.principal = principal;
    this.connection = createConnection(server, profile(this), this);
    this.#dispatcher = new Dispatcher(this.connection, () => modernFault);
  }

  /** The stream lasts as long as the session. One in which nobody says `initialize` is not worth its place. */
  get isBusy(): boolean {
    return this.connection.session.version !== undefined;
  }

  get isCongested(): boolean {
    return this.#stream.isCongested;
  }

  /**
   * The stream, which begins with where to send messages. Called once.
   * @param onGone called once when the client closed it, or reads so slowly that we did
   */
  open(messagesUri: string, heartbeat: Heartbeat, onGone: () => void): Response {
    this.#onGone = onGone;
    this.#heartbeat = heartbeat;
    this.#beatNumber = heartbeat.add(this);
    this.#stream.write(encodeEvent({ event: "endpoint", data: messagesUri }));
    return this.#stream.response;
  }

  receive(message: ClassifiedMessage): void {
    this.#dispatcher.receive(message, this.#lane);
  }

  send(text: string): void {
    this.#stream.write(encodeEvent({ event: "message", data: text }));
  }

  beat(): void {
    this.#stream.write(keepAliveComment);
  }

  /** Its one stream is the session, so it ends, but not under a call that was begun in time. */
  expire(): void {
    if (this.connection.inFlight.size === 0) this.#onGone?.();
  }

  closeStreams(): void {
    this.#heartbeat?.delete(this.#beatNumber);
    this.#stream.end();
  }
}

/** Not -32022, which would say that it could be asked in a modern revision: so the client goes on with `initialize`. */
const modernFault = createFault(
  errorCodes.invalidRequest,
  `Invalid request: HTTP+SSE serves ${legacyVersions.join(", ")} only: send initialize first`,
);
