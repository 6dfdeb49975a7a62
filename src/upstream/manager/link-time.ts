import { startTimer, type Timer } from "../../base/timer.ts";

/** The clock by which connections are tried again, looked at and given up when nobody uses them. */
export interface LinkTime {
  /** Milliseconds, on a clock that never goes back. */
  now(): number;
  /** Calls `act` once after so many milliseconds. */
  after(ms: number, act: () => void): Timer;
}

export const realTime: LinkTime = { now: () => performance.now(), after: startTimer };
