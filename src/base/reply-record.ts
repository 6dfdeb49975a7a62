/**
 * Writes down what a reply gives, at the moment at which it goes out: a process may be killed at any time, and the next one goes
 * on from there. Its methods must be quick and must not throw.
 */
export interface ReplyRecord {
  /** The system is given the whole reply next, or has taken the rest of it just now. */
  given(): void;
  /** The system has not taken all of it. `given` follows when it has. */
  withdrawn(): void;
  /** It does not go out, or not whole, and never will. */
  dropped(): void;
}

/** Several replies that go out as one. */
export function joinedRecord(records: readonly ReplyRecord[]): ReplyRecord | undefined {
  const [first, second] = records;
  if (second === undefined) return first;
  return {
    given: () => records.forEach((record) => record.given()),
    withdrawn: () => records.forEach((record) => record.withdrawn()),
    dropped: () => records.forEach((record) => record.dropped()),
  };
}
