import { AppError } from "../../base/errors.ts";

/** The lines of a table, without its header. @throws {AppError} `usage` for what TOML cannot say */
export function tomlPairs(entry: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(entry).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`);
}

/** `{ a = 1 }`, on one line. @throws {AppError} `usage` for what TOML cannot say */
export function tomlInline(entry: Readonly<Record<string, unknown>>): string {
  const pairs = tomlPairs(entry);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

export function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key);
}

function tomlValue(value: unknown): string {
  if (typeof value === "string") return tomlString(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return tomlNumber(value);
  if (Array.isArray(value)) return `[${value.map((item) => tomlValue(item)).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return tomlInline(value as Readonly<Record<string, unknown>>);
  }
  throw new AppError("usage", `A value is ${String(value)}, which TOML cannot say: leave it out.`);
}

function tomlNumber(value: number): string {
  if (!Number.isFinite(value)) throw new AppError("usage", `${value} is no number for a file.`);
  return JSON.stringify(value);
}

/** A basic string: JSON escapes as TOML does, but for DEL, which TOML does not take as it is. */
function tomlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll("\u007f", String.raw`\u007F`);
}
