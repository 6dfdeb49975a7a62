import { shownMessage } from "../../base/callback-text.ts";

/** One fire of a callback. */
export interface Fire {
  /** Counted from 1 for each client: no two fires of a client have the same. */
  readonly fireId: number;
  readonly callbackId: number;
  readonly message: string;
  /** -1 = forever. */
  readonly firesLeft: number;
}

/** The message of a fire, marked as what it is: the words that SetCallback was given, and no new wish of the user. */
export function reminderText({ message }: Fire, charsMax: number): string {
  return `Reminder set with SetCallback: ${shownMessage(message, charsMax)}`;
}

/** A fire on one line. */
export function fireLine(fire: Fire, messageCharsMax: number): string {
  const { callbackId, fireId } = fire;
  return `[Callback ${callbackId}, fire ${fireId}] ${reminderText(fire, messageCharsMax)}`;
}
