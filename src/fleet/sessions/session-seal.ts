import type { FleetSeal } from "../engine/fleet-secret.ts";

/** The fields of a session that replicas agree on, as texts. */
export type SessionFields = ReadonlyMap<string, string>;

/** One event of a stream of a session. */
export interface SharedEvent {
  /** `<replica>.<number of the stream>`. */
  readonly stream: string;
  /** Grows within a stream. */
  readonly number: number;
  readonly data: string;
  readonly isLast: boolean;
}

/**
 * Signs the fields and events of sessions, each for its place: access to the engine alone gives nobody a session, nor a word on its
 * streams.
 */
export class SessionSeal {
  readonly #seal: FleetSeal;

  constructor(seal: FleetSeal) {
    this.#seal = seal;
  }

  /** Names and values of fields of the hash `key`, one after the other, as they are kept. */
  fields(key: string, fields: readonly (readonly [string, string])[]): string[] {
    return fields.flatMap(([name, value]) =>
      isOfScripts(name) ? [name, value] : [name, this.#seal.sign(value, fieldOf(key, name))],
    );
  }

  /** The fields that replicas or scripts have written. */
  readFields(key: string, kept: Readonly<Record<string, unknown>>): SessionFields {
    const fields = new Map<string, string>();
    for (const [name, value] of Object.entries(kept)) {
      if (typeof value !== "string") continue;
      const text = isOfScripts(name) ? value : this.#seal.verified(value, fieldOf(key, name));
      if (text !== undefined) fields.set(name, text);
    }
    return fields;
  }

  /** The data of an event of the stream `key`, as it is kept. */
  event(key: string, event: SharedEvent): string {
    return this.#seal.sign(event.data, eventOf(key, event));
  }

  /** The event whose data is as it is kept; undefined for one that no replica has written. */
  readEvent(key: string, event: SharedEvent): SharedEvent | undefined {
    const data = this.#seal.verified(event.data, eventOf(key, event));
    return data === undefined ? undefined : { ...event, data };
  }
}

/** The purpose of the signature of a field. */
function fieldOf(key: string, name: string): string {
  return `${key} ${name}`;
}

/** The purpose of the signature of an event. */
function eventOf(key: string, { stream, number, isLast }: SharedEvent): string {
  return `${key} ${stream} ${number} ${isLast ? 1 : 0}`;
}

/** Fields that scripts write: the version, characters of events, the holder of the stream, the last change. */
function isOfScripts(name: string): boolean {
  return name === "v" || name === "ec" || name === "own" || name === "cur";
}
