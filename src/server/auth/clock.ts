/** Both times that authorization needs: dates in tokens are of the wall, ages of what we keep are not. */
export interface Clock {
  /** Milliseconds since 1970; may jump when somebody sets the clock. */
  wallMs(): number;
  /** Milliseconds since some moment; never goes back. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};
