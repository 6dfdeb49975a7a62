import type { ConfigSource } from "../config/resolution.ts";

/** Where a value came from, for people. */
export function sourceText(source: ConfigSource): string {
  if (source.variable !== undefined) return `${source.level}: ${source.variable}`;
  if (source.file === undefined) return source.level;
  const line = source.line === undefined ? "" : `:${source.line}`;
  return `${source.level}: ${source.file}${line}`;
}
