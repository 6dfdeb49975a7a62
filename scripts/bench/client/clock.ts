/** Monotonic milliseconds with nanosecond resolution. */
export function nowMs(): number {
  return Bun.nanoseconds() / 1e6;
}
