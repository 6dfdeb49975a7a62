/** What reading one entry has found wrong with it. */
export interface EntryNotes {
  /** The entry counts all the same. One sentence. */
  warn(text: string): void;
}

/** An entry cannot be used; the message completes "server "x" …". Never leaves this folder. */
export class EntryFault extends Error {
  override readonly name = "EntryFault";
}
