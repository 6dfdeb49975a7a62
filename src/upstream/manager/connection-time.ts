import { startTimer, type Timer } from "../../base/timer.ts";

/** The clock by which connections are tried again, looked at and given up when nobody uses them. */
export interface ConnectionTime {
  /** Milliseconds, on a clock that never goes back. */
  now(): number;
  /** Calls `act` once after so many milliseconds. */
  after(ms: number, act: () => void): Timer;
}

export const realTime: ConnectionTime = { now: () => performance.now(), after: startTimer };
