import { rmSync } from "node:fs";
import { join } from "node:path";

import { randomHex } from "../../base/digests.ts";
import type { KeptProcess } from "./machine.ts";
import { isSent, SentNote } from "./sent-note.ts";
import { writeJson } from "./task-record.ts";

/** How far a client has read, and which process it was. */
export interface Cursor {
  readonly to: number;
  readonly client: KeptProcess;
  /** The reply with the output up to `to` is on its way out: it has stopped at `from` unless the note says that this was sent. */
  readonly sending?: { readonly from: number; readonly note: string };
}

/** Where a client has stopped. */
export function placeIn(folder: string, { to, sending }: Cursor): number {
  return sending === undefined || isSent(join(folder, sending.note)) ? to : sending.from;
}

/** The move of a client's place with a reply. Its methods throw system errors. */
export class CursorMove {
  readonly #folder: string;
  readonly #key: string;
  readonly #cursor: Cursor;
  readonly #before: Cursor | undefined;
  #note: SentNote | undefined;

  /** @param from where the client stops if the reply does not go out */
  constructor(
    folder: string,
    key: string,
    { cursor, before, from }: { cursor: Cursor; before: Cursor | undefined; from: number },
  ) {
    this.#folder = folder;
    this.#key = key;
    this.#cursor = cursor;
    this.#before = before;
    const name = `.${key}.${randomHex(4)}.sent`;
    this.#note = SentNote.make(join(folder, name));
    if (this.#note === undefined) return;
    writeJson(folder, key, { ...cursor, sending: { from, note: name } });
  }

  /** @see ReplyRecord.writeTo */
  write(pipe: number, text: string): Uint8Array | undefined {
    return this.#note?.write(pipe, text);
  }

  /** The reply goes out next. */
  make(): void {
    if (this.#note === undefined) writeJson(this.#folder, this.#key, this.#cursor);
    else this.#note.say(true);
  }

  /** The reply is out. */
  confirm(): void {
    writeJson(this.#folder, this.#key, this.#cursor);
    this.#endNote();
  }

  /** It is not out yet. */
  takeBack(): void {
    if (this.#note === undefined) this.#restore();
    else this.#note.say(false);
  }

  /** It never will be. */
  drop(): void {
    this.#restore();
    this.#endNote();
  }

  #restore(): void {
    const { to, client } = this.#before ?? {};
    // One that is on its way out itself goes out before this one would have.
    if (to !== undefined) writeJson(this.#folder, this.#key, { to, client });
    else rmSync(join(this.#folder, this.#key), { force: true });
  }

  #endNote(): void {
    this.#note?.[Symbol.dispose]();
    this.#note = undefined;
  }
}
