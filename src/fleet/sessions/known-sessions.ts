import { sessionUseMs } from "../../base/limits.ts";
import type { Principal } from "../../server/auth/principal.ts";
import { HttpSession } from "../../server/http/http-session.ts";
import type { HttpSessions } from "../../server/http/http-sessions.ts";
import type { SharedEngine } from "../engine/shared-engine.ts";
import { SharedEngineError } from "../engine/engine-connection.ts";
import type { Notices } from "./notices.ts";
import { applyFields, differenceOf, fieldsOf } from "./session-fields.ts";
import type { SessionRecords } from "./session-records.ts";
import type { SessionFields } from "./session-seal.ts";

interface Known {
  /** As the engine has them. */
  fields: SessionFields;
  version: string;
  /** On the clock of `performance.now()`. */
  usedAt: number;
  /** Resolves when the last change is in the engine, or could not be brought there. */
  saving: Promise<void> | undefined;
}

export interface KnownSessionsParts {
  readonly engine: SharedEngine;
  readonly records: SessionRecords;
  readonly sessions: HttpSessions;
  readonly notices: Notices;
  /** The last change that was delivered: a session gets those after its begin. */
  readonly position: () => string;
  /** The engine has it no more: it has ended elsewhere, or was not used for long. */
  readonly onGone: (session: HttpSession) => void;
  /** @param holder the replica that has its own stream */
  readonly onAdopted: (session: HttpSession, holder: string | undefined) => void;
}

/**
 * The sessions of which this replica has a copy, kept like the ones in the engine. A copy goes on alone while the engine is
 * away; an engine that comes back without its data gets the sessions from the copies.
 */
export class KnownSessions {
  readonly #parts: KnownSessionsParts;
  readonly #known = new WeakMap<HttpSession, Known>();
  readonly #adopting = new Map<string, Promise<HttpSession | undefined>>();
  /** Says whether the engine still has what it had: made by the first replica that finds none. */
  #epoch: string | undefined;
  #restoring: Promise<void> | undefined;

  constructor(parts: KnownSessionsParts) {
    this.#parts = parts;
  }

  /** Brings a new session to the engine; false when its principal has as many as it may. @throws SharedEngineError */
  async begin(session: HttpSession): Promise<boolean> {
    const fields = fieldsOf(session.connection);
    const hasRoom = await this.#begin(session, fields);
    if (!hasRoom) return false;
    this.#note(session, { fields, version: "1", usedAt: performance.now(), saving: undefined });
    return true;
  }

  /** @throws SharedEngineError when the engine is away and this replica has no copy */
  async find(id: string, principal: Principal): Promise<HttpSession | undefined> {
    const copy = this.#copyOf(id, principal);
    const known = copy && this.#known.get(copy);
    if (copy === undefined || known === undefined) return this.#adopt(id, principal);
    if (!this.#parts.engine.isWell) return copy;
    try {
      return await this.#refreshed(copy, known);
    } catch (error) {
      if (error instanceof SharedEngineError) return copy;
      throw error;
    }
  }

  /** Resolves when the engine has the session as it is; undefined when it does. */
  saved(session: HttpSession): Promise<void> | undefined {
    return this.#known.get(session)?.saving;
  }

  /** Another replica has changed it. Never rejects. */
  async reload(session: HttpSession): Promise<void> {
    const known = this.#known.get(session);
    if (known === undefined) return;
    try {
      await this.#load(session, known);
    } catch {
      // The next request looks again.
    }
  }

  /** It is used here, for longer than a request: it stays in the engine. Never rejects. */
  async keep(session: HttpSession): Promise<void> {
    const known = this.#known.get(session);
    if (known !== undefined) await this.#look(session, known, true).catch(() => {});
  }

  /** Whether the engine has it; undefined when the engine is away. Never rejects. */
  async exists(session: HttpSession): Promise<boolean | undefined> {
    const known = this.#known.get(session);
    if (known === undefined) return undefined;
    try {
      return (await this.#look(session, known, false)) !== undefined;
    } catch {
      return undefined;
    }
  }

  /** After the engine was away: changes that it does not have, and everything if it has lost it. Never rejects. */
  async catchUp(): Promise<void> {
    for (const session of this.#parts.sessions.all()) {
      if (!(session instanceof HttpSession)) continue;
      const known = this.#known.get(session);
      if (known === undefined) continue;
      this.#save(session, known);
      await known.saving;
    }
  }

  async #begin(session: HttpSession, fields: SessionFields): Promise<boolean> {
    const { records } = this.#parts;
    const wanted = this.#epoch ?? crypto.randomUUID();
    const whole = new Map([...fields, ["cur", this.#parts.position()]]);
    const { hasRoom, epoch } = await records.begin(session.id, session.principal.id, whole, wanted);
    const before = this.#epoch;
    this.#epoch = epoch;
    if (before !== undefined && before !== epoch) await this.#restore();
    return hasRoom;
  }

  #note(session: HttpSession, known: Known): void {
    this.#known.set(session, known);
    session.connection.session.onChange = () => this.#save(session, known);
  }

  #copyOf(id: string, principal: Principal): HttpSession | undefined {
    return this.#parts.sessions.find(id, principal, HttpSession);
  }

  async #refreshed(session: HttpSession, known: Known): Promise<HttpSession | undefined> {
    const isDue = performance.now() - known.usedAt > sessionUseMs;
    const version = await this.#look(session, known, isDue);
    if (version === undefined) {
      this.#parts.onGone(session);
      return undefined;
    }
    // One that is being saved here is newer than the one that was read.
    if (version !== known.version && known.saving === undefined) await this.#load(session, known);
    return session;
  }

  /** Its version in the engine. An engine that has lost everything gets all sessions again first. */
  async #look(session: HttpSession, known: Known, isUsed: boolean): Promise<string | undefined> {
    const { records } = this.#parts;
    const look = await records.look(session.id, session.principal.id, isUsed);
    if (isUsed) known.usedAt = performance.now();
    if (look.epoch === this.#epoch || this.#epoch === undefined) {
      this.#epoch = look.epoch;
      return look.version;
    }
    await this.#restore();
    return (await records.look(session.id, session.principal.id, isUsed)).version;
  }

  #restore(): Promise<void> {
    this.#restoring ??= this.#restoreAll().finally(() => {
      this.#restoring = undefined;
    });
    return this.#restoring;
  }

  async #restoreAll(): Promise<void> {
    const { records, sessions } = this.#parts;
    const fresh = crypto.randomUUID();
    for (const session of sessions.all()) {
      if (!(session instanceof HttpSession)) continue;
      const known = this.#known.get(session);
      if (known === undefined) continue;
      const fields = fieldsOf(session.connection);
      const whole = new Map([...fields, ["cur", this.#parts.position()]]);
      const { epoch } = await records.begin(session.id, session.principal.id, whole, fresh);
      known.fields = fields;
      known.version = "1";
      this.#epoch = epoch;
    }
  }

  #adopt(id: string, principal: Principal): Promise<HttpSession | undefined> {
    const key = `${id} ${principal.id}`;
    const adopting =
      this.#adopting.get(key) ??
      this.#adoptNow(id, principal).finally(() => this.#adopting.delete(key));
    this.#adopting.set(key, adopting);
    return adopting;
  }

  async #adoptNow(id: string, principal: Principal): Promise<HttpSession | undefined> {
    const { records, sessions } = this.#parts;
    if (!isSessionId(id)) return undefined;
    const fields = await records.load(id);
    if (fields === undefined || fields.get("p") !== principal.id) return undefined;
    const session = this.#copyOf(id, principal) ?? sessions.adopt(id, principal, HttpSession);
    if (session === undefined)
      throw new SharedEngineError(
        "busy",
        "This replica has as many sessions as it may: try again.",
      );
    const known: Known = {
      fields,
      version: fields.get("v") ?? "",
      usedAt: performance.now(),
      saving: undefined,
    };
    applyFields(fields, session.connection);
    known.fields = fieldsOf(session.connection);
    this.#note(session, known);
    this.#parts.onAdopted(session, fields.get("own"));
    return session;
  }

  async #load(session: HttpSession, known: Known): Promise<void> {
    const fields = await this.#parts.records.load(session.id);
    if (fields === undefined || known.saving !== undefined) return;
    const { session: state } = session.connection;
    state.onChange = undefined;
    applyFields(fields, session.connection);
    known.fields = fieldsOf(session.connection);
    known.version = fields.get("v") ?? "";
    this.#note(session, known);
  }

  #save(session: HttpSession, known: Known): void {
    const { records, notices } = this.#parts;
    const fields = fieldsOf(session.connection);
    const { set, removed } = differenceOf(known.fields, fields);
    if (set.length === 0 && removed.length === 0) return;
    const before = known.fields;
    known.fields = fields;
    const saving = records
      .save(session.id, set, removed)
      .then(
        async (version) => {
          if (version === undefined) return;
          known.version = version;
          await notices.send({ kind: "changed", session: session.id });
        },
        () => {
          // `catchUp` finds the difference when the engine is back.
          known.fields = before;
        },
      )
      .catch(() => {})
      .finally(() => {
        if (known.saving === saving) known.saving = undefined;
      });
    known.saving = saving;
  }
}

/** The form of the ids that scorpiox-code gives: any other is in no key. */
function isSessionId(id: string): boolean {
  return /^[\w-]{16,64}$/.test(id);
}
