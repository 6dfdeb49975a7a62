/** Levels of `logging/setLevel`, least severe first (RFC 5424). */
export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;
export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return logLevels.some((level) => level === value);
}

/** True when a client that asked for `least` and above wants a message of `level`. */
export function isWantedAt(level: LogLevel, least: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(least);
}
