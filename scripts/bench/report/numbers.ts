import type { Unit } from "../metrics.ts";

/** As many digits as a benchmark can tell: `0.58`, `5.5`, `38`, `1240`, `159 k`. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000) return `${Math.round(value / 1000)} k`;
  if (size >= 20) return String(Math.round(value));
  if (size >= 2) return trimZero(value.toFixed(1));
  if (size > 0 && size < 0.01) return value.toPrecision(1);
  return trimZero(value.toFixed(2));
}

export function formatValue(value: number, unit: Unit): string {
  const number = formatNumber(value);
  if (unit === "" || unit === "/s") return number;
  return `${number} ${unit}`;
}

/** `9.1 ×` */
export function formatRatio(ratio: number): string {
  return `${formatNumber(ratio)} ×`;
}

function trimZero(text: string): string {
  return text.replace(/\.?0+$/, "");
}
