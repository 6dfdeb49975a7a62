const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A time to wait, rounded up: `5 s`, `52 min`, `12 h`. */
export function spanText(ms: number): string {
  if (ms <= minuteMs) return `${Math.max(1, Math.ceil(ms / 1000))} s`;
  return ms <= 2 * hourMs ? `${Math.ceil(ms / minuteMs)} min` : `${Math.ceil(ms / hourMs)} h`;
}
