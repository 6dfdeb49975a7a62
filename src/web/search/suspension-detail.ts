const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const separator = ": ";

/** The detail of a suspended engine: the remaining time, and the reason. `52 min: blocked (captcha)` */
export function suspensionDetail(leftMs: number, reason: string): string {
  return `${spanText(leftMs)}${separator}${reason}`;
}

/** The time alone, for one line on many engines. */
export function withoutReason(detail: string): string {
  return detail.split(separator, 1)[0] ?? "";
}

/** A time to wait, rounded up: `5 s`, `52 min`, `12 h`. */
function spanText(ms: number): string {
  if (ms <= minuteMs) return `${Math.max(1, Math.ceil(ms / 1000))} s`;
  return ms <= 2 * hourMs ? `${Math.ceil(ms / minuteMs)} min` : `${Math.ceil(ms / hourMs)} h`;
}
