import { batchElementsMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import { type ClassifiedMessage, classifyMessage } from "../../protocol/message.ts";
import type { Principal } from "../../server/auth/principal.ts";
import { HttpSession } from "../../server/http/http-session.ts";
import type {
  HttpSessions,
  LegacySession,
  SessionKeeper,
} from "../../server/http/http-sessions.ts";
import type { SessionTable } from "../../server/http/session-table.ts";
import type { Heartbeat } from "../../server/http/sse-stream.ts";
import type { ChangeLog } from "../changes/change-log.ts";
import type { Fleet } from "../open-fleet.ts";
import { FollowedStreams } from "./followed-streams.ts";
import { KnownSessions } from "./known-sessions.ts";
import { answerIn, type Notice, noticeIn, Notices, oneOrAll } from "./notices.ts";
import { FleetPairRelay } from "./pair-relay.ts";
import { OwnStreams } from "./own-streams.ts";
import { SessionRecords } from "./session-records.ts";
import { readEventId, SharedEventLog } from "./shared-event-log.ts";
import type { EventLog, EventMemory } from "../../server/transport/http/event-store.ts";

export interface FleetSessionsParts {
  readonly fleet: Fleet;
  readonly log: ChangeLog;
  /** Sessions of one principal in the whole fleet. */
  readonly principalMax: number;
  readonly idleMs?: number | undefined;
}

/** Messages of one replica to another about a session. */
const responseKind = "session response";

/**
 * The legacy sessions of a fleet at one replica: POST, GET and DELETE may arrive at any of them (FL2). Requests run where they
 * arrive; a session that is not known here is adopted from the engine.
 */
export class FleetSessions implements SessionTable, SessionKeeper, Disposable {
  readonly isShared = true;
  /** For `HttpEndpoint`, as what follows. */
  readonly pairRelay: FleetPairRelay;
  readonly #parts: FleetSessionsParts;
  readonly #records: SessionRecords;
  readonly #notices: Notices;
  readonly #followed: FollowedStreams;
  readonly #logs = new Map<HttpSession, SharedEventLog>();
  readonly #unsaved = new Set<SharedEventLog>();
  readonly #stops: (() => void)[] = [];
  #sessions: HttpSessions | undefined;
  #known: KnownSessions | undefined;
  #own: OwnStreams | undefined;
  #flushing: Promise<void> | undefined;

  private constructor(parts: FleetSessionsParts) {
    this.#parts = parts;
    this.pairRelay = new FleetPairRelay(parts.fleet);
    const { engine, replica, channels, secret, messages } = parts.fleet;
    const { principalMax, idleMs } = parts;
    this.#records = new SessionRecords({ engine, replica, seal: secret, principalMax, idleMs });
    const channel = engine.keys.of("notices");
    this.#notices = new Notices({ channels, replica, secret, channel });
    this.#followed = new FollowedStreams({ channels, replica, records: this.#records });
    this.#stops.push(
      messages.handle(responseKind, (body) => this.#deliver(body)),
      engine.onReady(() => void this.#catchUp()),
    );
  }

  /** Hears the notices of others. @throws SharedEngineError */
  static async start(parts: FleetSessionsParts): Promise<FleetSessions> {
    const table = new FleetSessions(parts);
    const stop = await table.#notices.listen(
      (notice, from) => table.#hear(notice, from),
      () => void table.#lookAtAll(),
    );
    table.#stops.push(stop);
    return table;
  }

  /** For `HttpEndpoint`: these are the copies of this replica. */
  readonly over = (sessions: HttpSessions): SessionTable => {
    const { fleet, log } = this.#parts;
    const [records, notices] = [this.#records, this.#notices];
    this.#sessions = sessions;
    sessions.keeper = this;
    this.#stops.push(this.pairRelay.receive(sessions));
    const own = new OwnStreams({
      fleet,
      log,
      records,
      notices,
      settled: (session) => this.#settled(session),
      copyOf: (id) => this.#copyOf(id),
    });
    this.#own = own;
    this.#known = new KnownSessions({
      engine: fleet.engine,
      records,
      sessions,
      notices,
      position: () => log.position,
      onGone: (session) => this.#endCopy(session),
      onAdopted: (session, holder) => {
        if (holder !== undefined) own.isElsewhere(session, holder);
      },
    });
    return this;
  };

  /** Ids of requests to clients: any replica can tell which one waits for the answer. */
  readonly requestIds = (number: number): string =>
    `server-${this.#parts.fleet.replica.id}-${number}`;

  /** For `HttpSessionsParts`. */
  readonly createLog = (session: LegacySession, memory: EventMemory): EventLog => {
    const { fleet, log } = this.#parts;
    const { engine, replica } = fleet;
    const shared = new SharedEventLog({
      sessionId: session.id,
      engine,
      replica,
      records: this.#records,
      position: () => log.position,
      memory,
      onUnsaved: (each) => this.#flushLater(each),
    });
    if (session instanceof HttpSession) this.#logs.set(session, shared);
    return shared;
  };

  begin(session: HttpSession): Promise<boolean> {
    return this.#copies.begin(session);
  }

  find(id: string, principal: Principal): Promise<HttpSession | undefined> {
    return this.#copies.find(id, principal);
  }

  saved(session: HttpSession): Promise<void> | undefined {
    return this.#copies.saved(session);
  }

  relay(session: HttpSession, message: ClassifiedMessage): void {
    if (message.kind !== "batch") return this.#relayAll(session, [message]);
    const { version } = session.connection.session;
    // The others are refused here too.
    if (version !== "2025-03-26" || message.elements.length > batchElementsMax) return;
    this.#relayAll(session, message.elements.map(classifyMessage));
  }

  async end(session: HttpSession): Promise<void> {
    this.#endCopy(session);
    await this.#records.end(session.id, session.principal.id);
    await this.#notices.send({ kind: "ended", session: session.id });
  }

  async resume(
    session: HttpSession,
    lastEventId: string,
    heartbeat: Heartbeat,
  ): Promise<Response | undefined> {
    const place = readEventId(lastEventId);
    if (place === undefined) return undefined;
    if (place.stream === 0) return this.#own?.resume(session, place, lastEventId, heartbeat);
    const stream = `${place.replica}.${place.stream}`;
    const { replica } = this.#parts.fleet;
    const here = replica.isOwn(place.replica) ? session.resume(lastEventId) : undefined;
    // Only now, so that no other reader gets what comes next.
    this.#send({ kind: "read", session: session.id, stream });
    this.#followed.drop(session.id, stream);
    return here ?? this.#followed.follow(session, place, heartbeat);
  }

  async openOwnStream(session: HttpSession, heartbeat: Heartbeat): Promise<Response | undefined> {
    return this.#own?.open(session, heartbeat);
  }

  withdrawn(session: LegacySession): void {
    if (session instanceof HttpSession) void this.end(session).catch(() => {});
    else this.#sessions?.end(session);
  }

  idle(session: LegacySession): void {
    if (!(session instanceof HttpSession)) return this.#sessions?.end(session);
    void this.#copies.exists(session).then((exists) => {
      // Used elsewhere, or not to be known: it is looked at again later.
      if (exists === false) this.#endCopy(session);
      else session.usedAt = performance.now();
    });
  }

  inUse(session: LegacySession): void {
    if (session instanceof HttpSession) void this.#copies.keep(session);
    for (const each of this.#followed.sessions) void this.#copies.keep(each);
  }

  /** Resolves when all events so far have gone out: a client that cannot come back for them has them then. */
  async settled(): Promise<void> {
    await Promise.all([...this.#logs.values()].map((log) => log.settled()));
  }

  /** The process goes; its sessions go on elsewhere. */
  leave(): void {
    for (const log of this.#logs.values()) log.leave();
    for (const session of this.#sessions?.all() ?? []) {
      if (session instanceof HttpSession) session.leaveStreams();
    }
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops.splice(0)) stop();
    this.#followed[Symbol.dispose]();
    this.#own?.[Symbol.dispose]();
  }

  get #copies(): KnownSessions {
    if (this.#known === undefined) throw new Error("the endpoint has not been made yet");
    return this.#known;
  }

  #copyOf(id: string): HttpSession | undefined {
    const session = this.#sessions?.get(id);
    return session instanceof HttpSession ? session : undefined;
  }

  #endCopy(session: HttpSession): void {
    this.#followed.end(session.id);
    this.#logs.delete(session);
    this.#sessions?.end(session);
  }

  async #settled(session: HttpSession): Promise<void> {
    await this.#logs.get(session)?.settled();
  }

  #send(notice: Notice): void {
    // Without the engine each replica is alone.
    this.#notices.send(notice).catch(() => {});
  }

  #hear(notice: Notice, from: string): void {
    if (notice.kind === "read") {
      this.#followed.drop(notice.session, notice.stream);
    }
    const session = this.#copyOf(notice.session);
    if (session === undefined) return;
    switch (notice.kind) {
      case "ended":
        return this.#endCopy(session);
      case "changed":
        return void this.#copies.reload(session);
      case "own":
        return this.#own?.isElsewhere(session, from);
      case "read": {
        const [replica = "", stream] = notice.stream.split(".");
        if (this.#parts.fleet.replica.isOwn(replica)) session.disconnect(Number(stream));
        return;
      }
      case "message":
        return session.dispatcher.receive(classifyMessage(notice.message), nowhere);
    }
  }

  /** The messages of one request that others may wait for: one notice to all, and one message to each replica. */
  #relayAll(session: HttpSession, messages: readonly ClassifiedMessage[]): void {
    const notices = messages.flatMap((message) => noticeIn(message) ?? []);
    if (notices.length > 0)
      this.#send({ kind: "message", session: session.id, message: oneOrAll(notices) });
    const { replica, messages: ways } = this.#parts.fleet;
    const answers = Map.groupBy(
      messages.flatMap((message) => answerIn(message) ?? []),
      ({ to }) => to,
    );
    for (const [to, all] of answers) {
      // One that has just begun is not in the list of the last renewal; names that a client makes up are not asked for in plenty.
      if (replica.isOwn(to) || (answers.size > 1 && !replica.isLive(to))) continue;
      const body = { session: session.id, message: oneOrAll(all.map(({ answer }) => answer)) };
      // One that is gone waits for nothing.
      ways.notify(to, responseKind, body).catch(() => {});
    }
  }

  async #deliver(body: unknown): Promise<void> {
    if (!isObject(body) || typeof body.session !== "string") return;
    this.#copyOf(body.session)?.dispatcher.receive(classifyMessage(body.message), nowhere);
  }

  /** After a gap in the notices: sessions that have ended meanwhile end here too. */
  async #lookAtAll(): Promise<void> {
    for (const session of this.#sessions?.all() ?? []) {
      if (!(session instanceof HttpSession)) continue;
      if ((await this.#copies.exists(session)) === false) this.#endCopy(session);
      else await this.#copies.reload(session);
    }
  }

  async #catchUp(): Promise<void> {
    await this.#known?.catchUp();
    await this.#flush();
  }

  #flushLater(log: SharedEventLog): void {
    this.#unsaved.add(log);
    // The engine is there, and refused it all the same: it is tried again until there is room.
    if (this.#parts.fleet.engine.isWell) setTimeout(() => void this.#flush(), flushAgainMs).unref();
  }

  #flush(): Promise<void> {
    this.#flushing ??= this.#flushAll().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  async #flushAll(): Promise<void> {
    for (const log of this.#unsaved) {
      if (await log.flush()) this.#unsaved.delete(log);
    }
    if (this.#unsaved.size > 0 && this.#parts.fleet.engine.isWell)
      setTimeout(() => void this.#flush(), flushAgainMs).unref();
  }
}

const flushAgainMs = 500;

/** Notifications and responses get no reply. */
const nowhere = { isCongested: false, send: () => {}, reply: () => {} };
