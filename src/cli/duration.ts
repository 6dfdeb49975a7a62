const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Ten years: a longer time is a mistake. */
const durationMsMax = 3_660 * 86_400_000;

/** `90s`, `30m`, `24h`, `30d`, `8w` or `0` in milliseconds; undefined for another text, or for more than ten years. */
export function durationMs(text: string): number | undefined {
  if (text === "0") return 0;
  const [, digits = "", unit = ""] = /^(\d{1,9})([smhdw])$/.exec(text) ?? [];
  const ms = Number(digits) * (units[unit] ?? Number.NaN);
  return Number.isNaN(ms) || ms > durationMsMax ? undefined : ms;
}
