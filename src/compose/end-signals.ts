/** The signals by which a user, a service manager or a closing terminal ends this program. */
const endSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Calls `end` for each of them, also for a second one: the process does not end by itself any more. */
export function onEndSignal(end: (signal: (typeof endSignals)[number]) => void): void {
  for (const signal of endSignals) process.on(signal, () => end(signal));
}
