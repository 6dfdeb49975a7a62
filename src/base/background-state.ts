/** A command, a call to an upstream server that runs on, or a saved output as a task that has ended. */
export const backgroundKinds = ["command", "call", "output"] as const;
export type BackgroundKind = (typeof backgroundKinds)[number];

/** `lost` is for a process whose end could not be observed. */
export const backgroundStates = [
  "running",
  "exited",
  "failed",
  "killed",
  "timed_out",
  "lost",
] as const;
export type BackgroundState = (typeof backgroundStates)[number];

/** Why we ended a background task. */
export const endReasons = ["timeout", "cancelled", "killed", "user", "shutdown"] as const;
export type EndReason = (typeof endReasons)[number];
