import { sharedReplyMsMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import type { Change } from "../../calls/features.ts";
import type { HttpSession } from "../../server/http/http-session.ts";
import type { Heartbeat } from "../../server/http/sse-stream.ts";
import type { StoredEvent } from "../../server/transport/http/event-store.ts";
import type { ChangeLog } from "../changes/change-log.ts";
import { SharedEngineError } from "../engine/engine-connection.ts";
import type { Fleet } from "../open-fleet.ts";
import type { Notices } from "./notices.ts";
import type { SessionRecords } from "./session-records.ts";
import type { SharedEvent } from "./session-seal.ts";
import type { EventPlace } from "./shared-event-log.ts";

export interface OwnStreamsParts {
  readonly fleet: Fleet;
  readonly log: ChangeLog;
  readonly records: SessionRecords;
  readonly notices: Notices;
  /** Resolves when all events so far have gone out. */
  readonly settled: (session: HttpSession) => Promise<void>;
  /** The copy of a session in this replica. */
  readonly copyOf: (id: string) => HttpSession | undefined;
}

const releaseKind = "session release";
const sendKind = "session send";

/**
 * The own streams of sessions, for what belongs to no request: one replica has it at a time, the one that the client has sent
 * GET to. Others bring it what they have to say, and let go of it when the client comes to another one.
 */
export class OwnStreams implements Disposable {
  readonly #parts: OwnStreamsParts;
  readonly #stops: readonly (() => void)[];

  constructor(parts: OwnStreamsParts) {
    this.#parts = parts;
    const { messages } = parts.fleet;
    this.#stops = [
      messages.handle(releaseKind, (body) => this.#release(body)),
      messages.handle(sendKind, async (body) => this.#sendHere(body)),
    ];
  }

  isElsewhere(session: HttpSession, holder: string): void {
    if (session.holdsOwnStream) session.leaveOwnStream();
    session.ownStreamElsewhere = {
      isCongested: false,
      send: (text) => {
        const body = { session: session.id, text };
        this.#parts.fleet.messages.notify(holder, sendKind, body).catch(() => {});
      },
    };
  }

  /** Undefined when a client reads it already. @throws SharedEngineError */
  async open(session: HttpSession, heartbeat: Heartbeat): Promise<Response | undefined> {
    if (session.isOwnStreamRead) return undefined;
    const position = await this.#take(session, false);
    // Another GET may have been quicker.
    if (position === undefined || session.isOwnStreamRead) return undefined;
    return this.#begin(session, heartbeat, position.from, []);
  }

  /** For a client that comes back: it gets what it has missed, wherever the stream was. @throws SharedEngineError */
  async resume(
    session: HttpSession,
    place: EventPlace,
    lastEventId: string,
    heartbeat: Heartbeat,
  ): Promise<Response | undefined> {
    try {
      const position = await this.#take(session, true);
      const events = await this.#parts.records.events(session.id);
      return this.#begin(session, heartbeat, position?.from, missedOf(events, place));
    } catch (error) {
      // The copy of this replica has the rest when the stream was here.
      if (error instanceof SharedEngineError && session.holdsOwnStream)
        return session.resume(lastEventId);
      throw error;
    }
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
  }

  /** Undefined when a client reads it elsewhere and does not come back with an event of it. */
  async #take(
    session: HttpSession,
    isResumed: boolean,
  ): Promise<{ readonly from: string | undefined } | undefined> {
    const { records, fleet, notices, settled } = this.#parts;
    const { holder, position } = await records.hold(session.id, false);
    if (fleet.replica.isOwn(holder)) {
      await settled(session);
      // It was here all the time: nothing was missed.
      const isHere = session.holdsOwnStream;
      if (!isHere) await notices.send({ kind: "own", session: session.id });
      return { from: isHere ? undefined : position };
    }
    if (await this.#isKept(holder, session.id, isResumed)) return undefined;
    const taken = await records.hold(session.id, true);
    await notices.send({ kind: "own", session: session.id });
    return { from: taken.position };
  }

  async #isKept(holder: string, session: string, isResumed: boolean): Promise<boolean> {
    const { messages } = this.#parts.fleet;
    try {
      const body = { session, isResumed };
      return (
        (await messages.request(holder, releaseKind, body, { msMax: sharedReplyMsMax })) === true
      );
    } catch (error) {
      if (error instanceof SharedEngineError) throw error;
      // It is gone, or does not answer: the client does not wait for it.
      return false;
    }
  }

  /** True: a client reads it here, and the stream stays. */
  async #release(body: unknown): Promise<boolean> {
    if (!isObject(body) || typeof body.session !== "string") return false;
    const session = this.#parts.copyOf(body.session);
    if (session === undefined || !session.holdsOwnStream) return false;
    if (session.isOwnStreamRead && body.isResumed !== true) return true;
    const { connection } = session;
    connection.server.subscriptions.flush(connection);
    await this.#parts.settled(session);
    session.leaveOwnStream();
    return false;
  }

  #sendHere(body: unknown): void {
    if (!isObject(body) || typeof body.session !== "string" || typeof body.text !== "string")
      return;
    const session = this.#parts.copyOf(body.session);
    if (session?.holdsOwnStream === true) session.connection.outbox.send(body.text);
  }

  #begin(
    session: HttpSession,
    heartbeat: Heartbeat,
    from: string | undefined,
    missed: readonly StoredEvent[],
  ): Response | undefined {
    const { connection } = session;
    session.ownStreamElsewhere = undefined;
    const response = session.openOwnStream(heartbeat, missed);
    this.#watch(session);
    if (from !== undefined)
      connection.server.subscriptions.catchUp(connection, this.#changesSince(from, session));
    return response;
  }

  /** URIs that it subscribed to elsewhere are watched by the replica that has its stream. */
  #watch({ connection }: HttpSession): void {
    const { session, server, outbox } = connection;
    const { resources } = server.features;
    const { client } = session.legacyAsker(outbox);
    for (const uri of session.subscribedUris)
      session.subscribedUris.watch(uri, () => resources?.watch?.(uri, client) ?? (() => {}));
  }

  /** Too long ago to know: everything may have changed. */
  #changesSince(position: string, { connection }: HttpSession): readonly Change[] {
    const known = this.#parts.log.since(position);
    if (known !== undefined) return known;
    const lists = (["tools", "prompts", "resources"] as const).map((kind) => ({ kind }));
    const uris = [...connection.session.subscribedUris];
    return [...lists, ...uris.map((uri) => ({ kind: "resource", uri }) as const)];
  }
}

/** The events of the session's own streams, which replicas had one after the other, that come after one of them. */
function missedOf(events: readonly SharedEvent[], { replica, number }: EventPlace): StoredEvent[] {
  const own = events.filter(({ stream }) => stream.endsWith(".0"));
  const last = own.findLastIndex(
    (event) => event.stream === `${replica}.0` && event.number <= number,
  );
  // One that is not kept any more is older than all that are.
  return own
    .slice(last + 1)
    .filter(({ data }) => data !== "")
    .map(({ stream, number: each, data }) => ({ id: `${stream}-${each}`, data }));
}
