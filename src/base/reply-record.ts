/**
 * Writes down what a reply gives, at the moment at which it goes out: a process may be killed at any time, and the next one goes
 * on from there. Its methods must be quick and must not throw.
 */
export interface ReplyRecord {
  /**
   * Writes the reply to a pipe itself, so that record and reply cannot differ. Undefined when it cannot, and has written nothing.
   * @returns the bytes that the pipe has not taken; they are written next
   */
  writeTo?(pipe: number, text: string): Uint8Array | undefined;
  /** The system is given the whole reply next. */
  given(): void;
  /** It has not taken all of it. */
  withdrawn(): void;
  /** It has taken all of it. Last. */
  taken(): void;
  /** It does not go out, or not whole, and never will. Last. */
  dropped(): void;
}

/** Several replies that go out as one. */
export function joinedRecord(records: readonly ReplyRecord[]): ReplyRecord | undefined {
  const [first, second] = records;
  if (second === undefined) return first;
  return {
    given: () => records.forEach((record) => record.given()),
    withdrawn: () => records.forEach((record) => record.withdrawn()),
    taken: () => records.forEach((record) => record.taken()),
    dropped: () => records.forEach((record) => record.dropped()),
  };
}
